#include "dataplane/encap/vxlan/vxlan.h"

#include "dataplane/encap/popped.h"
#include "dataplane/wire/tunnel_headers.h"

namespace overlane::vxlan {
namespace {

const std::uint8_t* header(const encap::Popped& popped) {
  return popped.headers.data() + popped.outer_bytes + wire::kUdpBytes;
}

std::array<std::uint8_t, kHeaderBytes + kEthernetBytes> middle(const Tunnel& tunnel, Family inner) {
  std::array<std::uint8_t, kHeaderBytes + kEthernetBytes> bytes{};
  wire::write(wire::VxlanHeader{.vni = tunnel.vni}, bytes);
  wire::write(wire::EthernetHeader{.destination = tunnel.inner_destination,
                                   .source = tunnel.inner_source,
                                   .ether_type = encap::ether_type_of(inner)},
              std::span(bytes).subspan(kHeaderBytes));
  return bytes;
}

}  // namespace

encap::Parts parts_of(std::span<std::uint8_t> packet, const Accepts& accepts) {
  const auto outer = encap::read_outer(packet);
  if (!outer) return encap::refuse(outer.error());
  const auto datagram = encap::read_udp(*outer, accepts.zero_checksum_over_ipv6);
  if (!datagram) return encap::refuse(datagram.error());
  const std::uint32_t offset = datagram->header_bytes + wire::kUdpBytes;
  constexpr std::uint32_t kMiddleBytes = kHeaderBytes + kEthernetBytes;
  if (datagram->bytes.size() < offset + kMiddleBytes) return encap::refuse(Drop::Malformed);
  const std::uint8_t* at = datagram->bytes.data() + offset;
  const std::uint64_t fields = load_be64(at) & ~kVniMask;
  if (fields != kVniValid) {
    return encap::refuse((fields & kVniValid) == 0 ? Drop::Malformed : Drop::UnsupportedProtocol);
  }
  const auto family = encap::family_of(load_be16(at + kHeaderBytes + 12));
  if (!family) return encap::refuse(Drop::UnsupportedProtocol);
  return encap::take_inner(*datagram, offset + kMiddleBytes, *family);
}

std::uint32_t vni(const encap::Popped& popped) {
  return load_be24(header(popped) + 4);
}
MacAddress inner_destination(const encap::Popped& popped) {
  return encap::mac_at(header(popped) + kHeaderBytes);
}
MacAddress inner_source(const encap::Popped& popped) {
  return encap::mac_at(header(popped) + kHeaderBytes + 6);
}

Pusher::Pusher(const Tunnel& tunnel)
    : UdpPusher(
          tunnel.rules.value_or(encap::outer_rules(Encapsulation::Vxlan, tunnel.source.family())),
          tunnel.source, tunnel.destination,
          {{Family::Ipv4, middle(tunnel, Family::Ipv4)},
           {Family::Ipv6, middle(tunnel, Family::Ipv6)}}) {}

}  // namespace overlane::vxlan
