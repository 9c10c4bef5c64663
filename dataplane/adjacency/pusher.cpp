#include "dataplane/adjacency/pusher.h"

#include "dataplane/encap/outer_rules.h"

namespace overlane::adjacency {
namespace {

/// The device that packets of that tunnel leave through.
const node::Device* device_of(const node::NodeState& state, Encapsulation encapsulation,
                              const forward::TunnelEnds& ends) {
  for (const node::Device& device : state.devices) {
    if (device.encapsulation() == encapsulation && device.underlay == ends.destination.family() &&
        device.vni == ends.vni && device.udp_port == ends.destination_port) {
      return &device;
    }
  }
  return nullptr;
}

/// The forwarding database knows the far end's; in metadata mode, and on a device with a remote,
/// it is never looked up.
MacAddress known_mac(const node::NodeState& state, const node::Device* device,
                     const forward::TunnelEnds& ends) {
  if (device == nullptr || device->kind != node::DeviceKind::Vxlan || device->external ||
      device->remote) {
    return {};
  }
  const node::Member* member = state.cluster->with_node_address(ends.destination);
  const auto* addresses = member == nullptr ? nullptr : member->in(Family::Ipv4);
  return addresses == nullptr ? MacAddress{} : addresses->vtep_mac;
}

template <typename Tunnel>
Tunnel with_frame(const node::NodeState& state, Encapsulation encapsulation,
                  const forward::TunnelEnds& ends, const std::optional<MacAddress>& far_mac) {
  Tunnel tunnel{.source = ends.source, .destination = ends.destination, .vni = ends.vni};
  const node::Device* device = device_of(state, encapsulation, ends);
  if (device != nullptr) tunnel.inner_source = device->mac;
  tunnel.inner_destination = far_mac ? *far_mac : known_mac(state, device, ends);
  tunnel.rules = encap::outer_rules(encapsulation, ends.destination.family());
  tunnel.rules->destination_port = ends.destination_port;
  return tunnel;
}

template <typename Kind>
std::uint32_t added(std::vector<Kind>& to, Kind pusher) {
  to.push_back(std::move(pusher));
  return static_cast<std::uint32_t>(to.size() - 1);
}

}  // namespace

std::uint32_t add_pusher(const node::NodeState& state, Encapsulation encapsulation,
                         const forward::TunnelEnds& ends, Pushers& to,
                         std::optional<MacAddress> far_mac) {
  switch (encapsulation) {
    case Encapsulation::Ipip:
      return added(to.ipip, ipip::Pusher({.source = ends.source.ipv4(),
                                          .destination = ends.destination.ipv4()}));
    case Encapsulation::Ip6Tnl:
      return added(to.ip6tnl,
                   ip6tnl::Pusher({.source = ends.source, .destination = ends.destination}));
    case Encapsulation::Vxlan:
      return added(to.vxlan,
                   vxlan::Pusher(with_frame<vxlan::Tunnel>(state, encapsulation, ends, far_mac)));
    case Encapsulation::Geneve:
      return added(to.geneve,
                   geneve::Pusher(with_frame<geneve::Tunnel>(state, encapsulation, ends, far_mac)));
    case Encapsulation::None:
    case Encapsulation::Sit:
    case Encapsulation::Wireguard:
      break;
  }
  return 0;
}

}  // namespace overlane::adjacency
