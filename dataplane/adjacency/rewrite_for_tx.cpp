#include "dataplane/adjacency/rewrite_for_tx.h"

#include "dataplane/encap/outer_rules.h"

namespace overlane::adjacency {

NeighbourHeaders::Slot& NeighbourHeaders::slot_of(const IpAddress& address) {
  std::size_t at = place(address.high, address.low);
  const auto is_of = [&](const Slot& slot) {
    return slot.high.load(std::memory_order_relaxed) == address.high &&
           slot.low.load(std::memory_order_relaxed) == address.low;
  };
  while (slots_[at].high.load(std::memory_order_relaxed) != 0 && !is_of(slots_[at]))
    at = (at + 1) % slots_.size();
  return slots_[at];
}

void NeighbourHeaders::set(const IpAddress& address, const MacAddress& destination,
                           const MacAddress& source) {
  if (slots_.empty() || address.high == 0) return;
  Slot& slot = slot_of(address);
  const bool is_new = slot.high.load(std::memory_order_relaxed) == 0;
  if (is_new && used_ == kMax) return;
  slot.header.set(destination, source);
  if (!is_new) return;
  ++used_;
  slot.low.store(address.low, std::memory_order_relaxed);
  slot.high.store(address.high, std::memory_order_release);
}

void NeighbourHeaders::forget(const IpAddress& address) {
  if (!slots_.empty() && address.high != 0) slot_of(address).header.forget();
}

void NeighbourHeaders::forget_all() {
  for (Slot& slot : slots_)
    slot.header.forget();
}

namespace {

/// Returns the device through which packets of this tunnel leave.
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

template <typename Tunnel>
Tunnel with_frame(const node::NodeState& state, Encapsulation encapsulation,
                  const forward::TunnelEnds& ends, const MacAddress& far_mac) {
  Tunnel tunnel{.source = ends.source, .destination = ends.destination, .vni = ends.vni};
  const node::Device* device = device_of(state, encapsulation, ends);
  if (device != nullptr) tunnel.inner_source = device->mac;
  tunnel.inner_destination = far_mac;
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
                         const forward::TunnelEnds& ends, Pushers& to, const MacAddress& far_mac) {
  switch (encapsulation) {
    case Encapsulation::Ipip:
      return added(to.ipip, ipip::Pusher({.source = ends.source.ipv4(),
                                          .destination = ends.destination.ipv4()}));
    case Encapsulation::Sit:
      return added(to.sit, sit::Pusher({.source = ends.source.ipv4(),
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
    case Encapsulation::Wireguard:
      break;
  }
  return 0;
}

}  // namespace overlane::adjacency
