#include "dataplane/encap/inner_packet.h"

#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip.h"

namespace overlane::encap {
namespace {

bool has_ports(std::uint8_t protocol) {
  return protocol == wire::kTcp || protocol == wire::kUdp;
}

void add_ports(FlowKey& flow, std::span<const std::uint8_t> segment) {
  if (segment.size() < 4) return;
  flow.source_port = load_be16(segment.data());
  flow.destination_port = load_be16(segment.data() + 2);
}

FlowKey ipv4_flow(std::span<const std::uint8_t> packet) {
  constexpr std::uint16_t kFragmentMask = 0x3fff;
  const std::uint8_t* at = packet.data();
  FlowKey flow{.source = Ipv4Address{load_be32(at + 12)},
               .destination = Ipv4Address{load_be32(at + 16)},
               .protocol = at[9]};
  const bool is_fragment = (load_be16(at + 6) & kFragmentMask) != 0;
  if (has_ports(flow.protocol) && !is_fragment) add_ports(flow, packet.subspan((at[0] & 0xf) * 4u));
  return flow;
}

IpAddress ipv6_address(const std::uint8_t* at) {
  IpAddress address;
  address.high = load_be64(at);
  address.low = load_be64(at + 8);
  return address;
}

FlowKey ipv6_flow(std::span<const std::uint8_t> packet) {
  const std::uint8_t* at = packet.data();
  FlowKey flow{.source = ipv6_address(at + 8), .destination = ipv6_address(at + 24)};
  std::size_t offset = 40;
  flow.protocol = at[6];
  if (!has_ports(flow.protocol)) {
    const auto upper = wire::find_upper_layer(packet);
    if (!upper) return flow;
    flow.protocol = upper->protocol;
    offset = upper->offset;
    // Linux hashes no ports of fragments, atomic ones included (__skb_flow_dissect,
    // net/core/flow_dissector.c).
    if (upper->fragment || !has_ports(flow.protocol)) return flow;
  }
  add_ports(flow, packet.subspan(offset));
  return flow;
}

}  // namespace

bool is_whole_with_options(std::span<const std::uint8_t> packet) {
  const std::uint32_t header_bytes = (packet[0] & 0xf) * 4u;
  return packet[0] >> 4 == 4 && header_bytes >= wire::kIpv4Bytes && header_bytes <= packet.size() &&
         load_be16(packet.data() + 2) == packet.size();
}

std::uint32_t whole_bytes(std::span<const std::uint8_t> bytes, Family family) {
  const bool ipv4 = family == Family::Ipv4;
  const std::uint32_t header =
      static_cast<std::uint32_t>(ipv4 ? wire::kIpv4Bytes : wire::kIpv6Bytes);
  if (bytes.size() < header) return 0;
  const std::uint32_t length =
      ipv4 ? load_be16(bytes.data() + 2) : wire::kIpv6Bytes + load_be16(bytes.data() + 4);
  if (length > bytes.size()) return 0;
  const std::span<const std::uint8_t> packet = bytes.first(length);
  const bool whole =
      ipv4 ? is_whole<Family::Ipv4>(packet, length) : is_whole<Family::Ipv6>(packet, length);
  return whole ? length : 0;
}

FlowKey flow_of_other(std::span<const std::uint8_t> packet, Family family) {
  return family == Family::Ipv4 ? ipv4_flow(packet) : ipv6_flow(packet);
}

void set_ecn(std::uint8_t* packet, Family family, Ecn ecn) {
  if (family == Family::Ipv6) {
    packet[1] = static_cast<std::uint8_t>((packet[1] & 0xcf) | static_cast<std::uint8_t>(ecn) << 4);
    return;
  }
  const std::uint16_t before = load_be16(packet);
  packet[1] = with_ecn(packet[1], ecn);
  const std::uint16_t checksum = load_be16(packet + 10);
  store_be16(packet + 10, updated_checksum(checksum, before, load_be16(packet)));
}

}  // namespace overlane::encap
