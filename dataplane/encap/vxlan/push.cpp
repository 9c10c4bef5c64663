#include "dataplane/encap/vxlan/push.h"

#include "dataplane/encap/inner_ethernet.h"
#include "dataplane/wire/vxlan.h"

namespace overlane::vxlan {
namespace {

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

Pusher::Pusher(const Tunnel& tunnel)
    : UdpPusher(
          tunnel.rules.value_or(encap::outer_rules(Encapsulation::Vxlan, tunnel.source.family())),
          tunnel.source, tunnel.destination,
          {{Family::Ipv4, middle(tunnel, Family::Ipv4)},
           {Family::Ipv6, middle(tunnel, Family::Ipv6)}}) {}

}  // namespace overlane::vxlan
