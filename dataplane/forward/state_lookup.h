#pragma once

#include "dataplane/net/address.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::forward {

// The default Lookup of NodeDecision, which reads the tables of a NodeState directly. The other one
// is adjacency::ClassLookup. This file also has two rules about addresses that every Lookup needs:
// which addresses are never forwarded, and which destination is the broadcast address of a subnet.

/// Returns whether packets may be forwarded from and to the address (ip_route_input_slow,
/// net/ipv4/route.c; ip6_forward, net/ipv6/ip6_output.c). Loopback, multicast, limited broadcast
/// and unspecified addresses are not forwardable; in IPv6 link-local addresses are not either.
/// 240.0.0.0/4 is forwardable.
constexpr bool is_forwardable(IpAddress address) {
  if (address.is_ipv4()) {
    const std::uint32_t bits = address.ipv4().bits;
    const std::uint32_t first = bits >> 24;
    const bool multicast = first >= 224 && first <= 239;
    return bits != 0 && bits != 0xffffffff && first != 127 && !multicast;
  }
  const bool unspecified_or_loopback = address.high == 0 && address.low <= 1;
  const bool multicast = address.high >> 56 == 0xff;
  const bool link_local = address.high >> 54 == 0xfe80 >> 6;
  return !unspecified_or_loopback && !multicast && !link_local;
}

/// Returns whether the destination is the broadcast address of the subnet of a connected route.
/// Only the kernel's route for an address of the node has one (fib_add_ifaddr,
/// net/ipv4/fib_frontend.c).
inline bool is_broadcast(const node::RouteMatch& match, IpAddress destination) {
  const IpPrefix& subnet = match.destination;
  if (match.route.protocol != node::RouteProtocol::Kernel || match.route.via) return false;
  if (!subnet.is_ipv4() || subnet.length() >= 31 || subnet.length() == 0) return false;
  return destination.ipv4() == subnet.ipv4()->last();
}

/// Reads a state's own tables. The state must outlive this object.
class StateLookup {
 public:
  explicit StateLookup(const node::NodeState& state) : state_(state) {}

  const node::NodeState& state() const { return state_; }
  auto route(IpAddress address) const { return node::lookup(state_, address); }
  const node::Device* device(node::DeviceName name) const { return state_.find_device(name); }
  const node::Device* uplink() const { return state_.uplink(); }
  const node::Device* receiving_device(const node::TunnelKey& key) const {
    return node::receiving_device(state_, key);
  }
  bool is_local(IpAddress address) const { return node::is_local(state_, address); }
  const node::Member* neighbour(IpAddress address) const {
    return state_.cluster->with_tunnel_address(address);
  }
  bool is_member(IpAddress address) const {
    return state_.cluster->with_node_address(address) != nullptr;
  }

 private:
  const node::NodeState& state_;
};

}  // namespace overlane::forward
