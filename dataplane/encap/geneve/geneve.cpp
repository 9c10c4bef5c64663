#include "dataplane/encap/geneve/geneve.h"

#include <cassert>
#include <vector>

#include "dataplane/encap/popped.h"
#include "dataplane/wire/tunnel_headers.h"

namespace overlane::geneve {
namespace {

constexpr std::uint32_t option_bytes(std::uint8_t first) {
  return (first & 0x3fu) * 4;
}

const std::uint8_t* header(const encap::Popped& popped) {
  return popped.headers.data() + popped.outer_bytes + wire::kUdpBytes;
}

bool any_critical(std::span<const std::uint8_t> bytes) {
  wire::GeneveOptions options(bytes);
  while (const auto option = options.next()) {
    if (option->critical()) return true;
  }
  return false;
}

std::vector<std::uint8_t> middle(const Tunnel& tunnel, Family inner) {
  assert(tunnel.options.size() <= kMaxOptionBytes && tunnel.options.size() % 4 == 0);
  const std::uint16_t type = encap::ether_type_of(inner);
  const wire::GeneveHeader header{
      .critical = any_critical(tunnel.options),
      .protocol = tunnel.inner_proto_inherit ? type : wire::kEtherTypeBridging,
      .vni = tunnel.vni,
      .options = tunnel.options};
  std::vector<std::uint8_t> bytes(wire::header_bytes(header));
  wire::write(header, bytes);
  if (tunnel.inner_proto_inherit) return bytes;
  bytes.resize(bytes.size() + kEthernetBytes);
  wire::write(wire::EthernetHeader{.destination = tunnel.inner_destination,
                                   .source = tunnel.inner_source,
                                   .ether_type = type},
              std::span(bytes).last(kEthernetBytes));
  return bytes;
}

}  // namespace

encap::Parts parts_of(std::span<std::uint8_t> packet, const Accepts& accepts) {
  const auto outer = encap::read_outer(packet);
  if (!outer) return encap::refuse(outer.error());
  const auto datagram = encap::read_udp(*outer, accepts.zero_checksum_over_ipv6);
  if (!datagram) return encap::refuse(datagram.error());
  const std::uint32_t offset = datagram->header_bytes + wire::kUdpBytes;
  const std::size_t left = datagram->bytes.size() - offset;
  const std::uint8_t* at = datagram->bytes.data() + offset;
  if (left < kHeaderBytes || at[0] >> 6 != 0) return encap::refuse(Drop::Malformed);
  const std::uint32_t header_bytes = kHeaderBytes + option_bytes(at[0]);
  if ((at[1] & kCritical) != 0 && !accepts.critical_options)
    return encap::refuse(Drop::UnsupportedProtocol);

  const std::uint16_t type = load_be16(at + 2);
  if (type != wire::kEtherTypeBridging) {
    const auto family = encap::family_of(type);
    if (!family || !accepts.ip_inside) return encap::refuse(Drop::UnsupportedProtocol);
    if (left < header_bytes) return encap::refuse(Drop::Malformed);
    return encap::take_inner(*datagram, offset + header_bytes, *family);
  }
  if (left < header_bytes + kEthernetBytes) return encap::refuse(Drop::Malformed);
  const auto family = encap::family_of(load_be16(at + header_bytes + 12));
  if (!family) return encap::refuse(Drop::UnsupportedProtocol);
  return encap::take_inner(*datagram, offset + header_bytes + kEthernetBytes, *family);
}

std::uint32_t vni(const encap::Popped& popped) {
  return load_be24(header(popped) + 4);
}
bool is_control(const encap::Popped& popped) {
  return (header(popped)[1] & kControl) != 0;
}
bool has_critical_options(const encap::Popped& popped) {
  return (header(popped)[1] & kCritical) != 0;
}
std::span<const std::uint8_t> options(const encap::Popped& popped) {
  return {header(popped) + kHeaderBytes, option_bytes(header(popped)[0])};
}
bool has_ethernet(const encap::Popped& popped) {
  return load_be16(header(popped) + 2) == wire::kEtherTypeBridging;
}
MacAddress inner_destination(const encap::Popped& popped) {
  return encap::mac_at(options(popped).data() + options(popped).size());
}
MacAddress inner_source(const encap::Popped& popped) {
  return encap::mac_at(options(popped).data() + options(popped).size() + 6);
}

Pusher::Pusher(const Tunnel& tunnel)
    : UdpPusher(
          tunnel.rules.value_or(encap::outer_rules(Encapsulation::Geneve, tunnel.source.family())),
          tunnel.source, tunnel.destination,
          {{Family::Ipv4, middle(tunnel, Family::Ipv4)},
           {Family::Ipv6, middle(tunnel, Family::Ipv6)}}) {}

}  // namespace overlane::geneve
