#include "dataplane/wire/address_resolution.h"

#include <algorithm>
#include <cassert>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"

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

namespace {

// Option types (RFC 4861, section 4.6.1).
constexpr std::uint8_t kSourceLinkAddress = 1;
constexpr std::uint8_t kTargetLinkAddress = 2;

// Flags in the second word of an advertisement (RFC 4861, section 4.4).
constexpr std::uint32_t kRouterFlag = 1u << 31;
constexpr std::uint32_t kSolicitedFlag = 1u << 30;
constexpr std::uint32_t kOverrideFlag = 1u << 29;

constexpr std::uint8_t link_address_option(std::uint8_t type) {
  return type == kNeighbourSolicitation ? kSourceLinkAddress : kTargetLinkAddress;
}

std::uint32_t flags_of(const NeighbourMessage& message) {
  return (message.router ? kRouterFlag : 0) | (message.solicited ? kSolicitedFlag : 0) |
         (message.overrides ? kOverrideFlag : 0);
}

/// Reads the options. The second byte of an option is its size in units of 8 bytes, including type
/// and length (RFC 4861, section 4.6).
void inspect_options(std::span<const std::uint8_t> rest, Inspected<NeighbourMessage>& inspected) {
  while (!rest.empty()) {
    const std::size_t size = rest.size() < 2 ? 0 : std::size_t{rest[1]} * 8;
    if (size == 0 || size > rest.size()) return inspected.problems.add(Problem::BadOption);
    auto& mac = inspected.header.mac;
    if (rest[0] == link_address_option(inspected.header.type) && !mac) {
      if (size != kLinkAddressOptionBytes) return inspected.problems.add(Problem::WrongSize);
      auto& bytes = mac.emplace().bytes;
      std::copy_n(rest.begin() + 2, bytes.size(), bytes.begin());
    }
    rest = rest.subspan(size);
  }
}

}  // namespace

std::optional<Inspected<NeighbourMessage>> inspect_neighbour_message(
    std::span<const std::uint8_t> message) {
  if (message.size() < kNeighbourMessageBytes) return std::nullopt;
  Inspected<NeighbourMessage> inspected{.header = {.type = message[0]}, .problems = {}};
  NeighbourMessage& header = inspected.header;
  const bool is_advertisement = header.type == kNeighbourAdvertisement;
  inspected.problems.add(
      Problem::UnknownKind,
      message[1] != 0 || (header.type != kNeighbourSolicitation && !is_advertisement));
  const std::uint32_t flags = load_be32(message.data() + 4);
  if (is_advertisement) {
    header.router = (flags & kRouterFlag) != 0;
    header.solicited = (flags & kSolicitedFlag) != 0;
    header.overrides = (flags & kOverrideFlag) != 0;
  }
  inspected.problems.add(Problem::ReservedBits, flags != flags_of(header));
  std::copy_n(message.begin() + 8, header.target.bytes.size(), header.target.bytes.begin());
  inspect_options(message.subspan(kNeighbourMessageBytes), inspected);
  return inspected;
}

Result<NeighbourMessage, Drop> parse_neighbour_message(std::span<const std::uint8_t> message) {
  return accepted(inspect_neighbour_message(message));
}

void write(const NeighbourMessage& message, const IpAddress& source, const IpAddress& destination,
           std::span<std::uint8_t> to) {
  assert(to.size() >= message.bytes());
  to = to.first(message.bytes());
  to[0] = message.type;
  to[1] = 0;
  store_be16(to.data() + 2, 0);
  store_be32(to.data() + 4, flags_of(message));
  std::ranges::copy(message.target.bytes, to.begin() + 8);
  if (message.mac) {
    const auto option = to.subspan(kNeighbourMessageBytes);
    option[0] = link_address_option(message.type);
    option[1] = kLinkAddressOptionBytes / 8;
    std::ranges::copy(message.mac->bytes, option.begin() + 2);
  }
  store_be16(to.data() + 2, transport_checksum(source, destination, kIcmpv6, to));
}

void write_packet(const NeighbourMessage& message, const IpAddress& source,
                  const IpAddress& destination, std::span<std::uint8_t> to) {
  write(Ipv6Header{.payload_length = static_cast<std::uint16_t>(message.bytes()),
                   .next_header = kIcmpv6,
                   .hop_limit = kDiscoveryHopLimit,
                   .source = source,
                   .destination = destination},
        to);
  write(message, source, destination, to.subspan(kIpv6Bytes));
}

}  // namespace overlane::wire
