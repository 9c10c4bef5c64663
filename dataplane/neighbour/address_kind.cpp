#include "dataplane/neighbour/address_kind.h"

#include <algorithm>

#include "dataplane/wire/ip.h"

namespace overlane::neighbour {
namespace {

constexpr std::array<std::uint8_t, 13> kSolicitedNodePrefix{0xff, 2, 0, 0, 0, 0,   0,
                                                            0,    0, 0, 0, 1, 0xff};

}  // namespace

bool is_multicast(const IpAddress& address) {
  if (address.is_ipv4()) return address.ipv4().bits >> 28 == 0xe;
  return address.high >> 56 == 0xff;
}

bool is_link_local(const IpAddress& address) {
  return !address.is_ipv4() && address.high >> 54 == 0xfe80 >> 6;
}

bool is_unspecified(const IpAddress& address) {
  return address.is_ipv4() ? address.ipv4().bits == 0 : (address.high | address.low) == 0;
}

bool is_host(const IpAddress& address) {
  if (is_multicast(address)) return false;
  if (!address.is_ipv4()) return address.high != 0 || address.low > 1;
  const std::uint32_t bits = address.ipv4().bits;
  return bits != 0 && bits >> 24 != 127 && bits != 0xffffffff;
}

bool is_port(const MacAddress& address) {
  return (address.bytes[0] & 1) == 0 && address != MacAddress{};
}

IpAddress all_nodes() {
  return Ipv6Address{{0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
}

IpAddress solicited_node(const IpAddress& address) {
  Ipv6Address result = address.ipv6();
  std::ranges::copy(kSolicitedNodePrefix, result.bytes.begin());
  return result;
}

bool is_solicited_node(const IpAddress& address) {
  return !address.is_ipv4() && solicited_node(address) == address;
}

MacAddress multicast_mac(const IpAddress& address) {
  const Ipv6Address group = address.ipv6();
  MacAddress mac{{0x33, 0x33}};
  std::copy_n(group.bytes.begin() + 12, 4, mac.bytes.begin() + 2);
  return mac;
}

IpAddress link_local(const MacAddress& mac) {
  const auto& m = mac.bytes;
  Ipv6Address address{{0xfe, 0x80}};
  const std::array<std::uint8_t, 8> identifier{
      static_cast<std::uint8_t>(m[0] ^ 2), m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5]};
  std::ranges::copy(identifier, address.bytes.begin() + 8);
  return address;
}

std::optional<IpAddress> source_of(std::span<const std::uint8_t> packet) {
  if (packet.empty()) return std::nullopt;
  if (packet[0] >> 4 == 6) {
    const auto header = wire::parse_quoted_ipv6(packet);
    return header ? std::optional(header->source) : std::nullopt;
  }
  const auto header = wire::parse_quoted_ipv4(packet);
  return header ? std::optional(IpAddress(header->source)) : std::nullopt;
}

}  // namespace overlane::neighbour
