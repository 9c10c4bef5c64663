#include "dataplane/byte_rewrite/wrap.h"

#include <array>

#include "dataplane/encap/geneve/push.h"
#include "dataplane/encap/ip6tnl/push.h"
#include "dataplane/encap/ipip/push.h"
#include "dataplane/encap/sit/push.h"
#include "dataplane/encap/vxlan/push.h"
#include "dataplane/encap/wireguard/push.h"
#include "dataplane/net/flow_hash.h"

namespace overlane::byte_rewrite {
namespace {

using forward::Packet;

using forward::Wrapping;

/// VXLAN's neighbour entry for the next hop. Nobody has told the others an address.
MacAddress far_mac(const Wrapping& wrapping) {
  const auto& [route, device, mtu, peer] = wrapping;
  if (device.kind != node::DeviceKind::Vxlan || !route.via || peer == nullptr) return {};
  const node::MemberAddresses* addresses = peer->in(route.via->family());
  return addresses == nullptr ? MacAddress{} : addresses->vtep_mac;
}

/// The rules of a device whose destination port may be its own.
encap::OuterRules rules_of(const Packet& wrapped) {
  encap::OuterRules rules = encap::outer_rules(wrapped.encapsulation, wrapped.outer.family());
  rules.destination_port = wrapped.outer_destination_port;
  return rules;
}

template <typename Pusher>
std::optional<Drop> push(const Pusher& pusher, const Packet& wrapped, PacketBuffer& packet) {
  const auto pushed = pusher.push(packet.with_headroom(), packet.headroom(),
                                  {.flow_hash = flow_hash(wrapped.flow())});
  if (!pushed) return pushed.error();
  packet.narrow(*pushed);
  return std::nullopt;
}

template <typename Pusher, typename Tunnel>
std::optional<Drop> push_frame(const Packet& wrapped, const Wrapping& wrapping,
                               PacketBuffer& packet) {
  return push(Pusher(Tunnel{.source = wrapped.outer.source,
                            .destination = wrapped.outer.destination,
                            .vni = wrapped.vni,
                            .inner_source = wrapping.device.mac,
                            .inner_destination = far_mac(wrapping),
                            .rules = rules_of(wrapped)}),
              wrapped, packet);
}

std::optional<Drop> push_sealed(const Packet& wrapped, const Wrapping& wrapping,
                                PacketBuffer& packet) {
  constexpr std::array<std::uint8_t, wireguard::kTailBytes> kTail{};
  packet.append(kTail);
  return push(wireguard::Pusher({.source = wrapped.outer.source,
                                 .destination = wrapped.outer.destination,
                                 .port = wrapped.outer_destination_port,
                                 .receiver = wrapped.vni,
                                 .mtu = wrapping.mtu}),
              wrapped, packet);
}

}  // namespace

std::optional<Drop> wrap(const Packet& wrapped, const Wrapping& wrapping, PacketBuffer& packet) {
  const IpAddress source = wrapped.outer.source;
  const IpAddress destination = wrapped.outer.destination;
  switch (wrapped.encapsulation) {
    case Encapsulation::None:
      break;
    case Encapsulation::Ipip:
      return push(ipip::Pusher({.source = source.ipv4(), .destination = destination.ipv4()}),
                  wrapped, packet);
    case Encapsulation::Sit:
      return push(sit::Pusher({.source = source.ipv4(), .destination = destination.ipv4()}),
                  wrapped, packet);
    case Encapsulation::Ip6Tnl:
      return push(ip6tnl::Pusher({.source = source, .destination = destination}), wrapped, packet);
    case Encapsulation::Vxlan:
      return push_frame<vxlan::Pusher, vxlan::Tunnel>(wrapped, wrapping, packet);
    case Encapsulation::Geneve:
      return push_frame<geneve::Pusher, geneve::Tunnel>(wrapped, wrapping, packet);
    case Encapsulation::Wireguard:
      return push_sealed(wrapped, wrapping, packet);
  }
  return Drop::UnsupportedProtocol;
}

}  // namespace overlane::byte_rewrite
