#include "dataplane/wire/arp.h"

#include <algorithm>
#include <cassert>

#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::wire {
namespace {

constexpr std::uint16_t kHardwareEthernet = 1;
constexpr std::uint16_t kLengths = 0x0604;  ///< Lengths of hardware and protocol addresses.

MacAddress load_mac(const std::uint8_t* from) {
  MacAddress mac;
  std::copy_n(from, mac.bytes.size(), mac.bytes.begin());
  return mac;
}

}  // namespace

std::optional<Inspected<ArpPacket>> inspect_arp(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kArpBytes) return std::nullopt;
  const std::uint8_t* from = bytes.data();
  Inspected<ArpPacket> inspected{.header = {.operation = load_be16(from + 6)}, .problems = {}};
  inspected.problems.add(Problem::UnknownKind, load_be16(from) != kHardwareEthernet ||
                                                   load_be16(from + 2) != kEtherTypeIpv4);
  inspected.problems.add(Problem::WrongSize, load_be16(from + 4) != kLengths);
  if (!inspected.problems.empty()) return inspected;
  inspected.header.sender_mac = load_mac(from + 8);
  inspected.header.sender = {load_be32(from + 14)};
  inspected.header.target_mac = load_mac(from + 18);
  inspected.header.target = {load_be32(from + 24)};
  return inspected;
}

Result<ArpPacket, Drop> parse_arp(std::span<const std::uint8_t> bytes) {
  return accepted(inspect_arp(bytes));
}

void write(const ArpPacket& packet, std::span<std::uint8_t> to) {
  assert(to.size() >= kArpBytes);
  store_be16(to.data(), kHardwareEthernet);
  store_be16(to.data() + 2, kEtherTypeIpv4);
  store_be16(to.data() + 4, kLengths);
  store_be16(to.data() + 6, packet.operation);
  std::ranges::copy(packet.sender_mac.bytes, to.data() + 8);
  store_be32(to.data() + 14, packet.sender.bits);
  std::ranges::copy(packet.target_mac.bytes, to.data() + 18);
  store_be32(to.data() + 24, packet.target.bits);
}

}  // namespace overlane::wire
