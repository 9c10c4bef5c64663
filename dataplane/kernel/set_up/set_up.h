#pragma once

#include <compare>
#include <span>
#include <string>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::kernel {

// Turns a NodeState into the commands (ip, sysctl, iptables) that make such a node of an empty
// namespace. Nothing is run here: run_commands.h does that.

/// A veth pair between the node's namespace and the world around it. Both ends have the same name.
struct Port {
  std::string device;
  forward::Egress egress = forward::Egress::Uplink;  ///< Pod or Uplink.
  MacAddress node_mac;                               ///< MAC address of the node's end.

  auto operator<=>(const Port&) const = default;
};

/// Whom the node believes to find behind a link-layer address of one of its ports.
struct Neighbour {
  std::string device;
  IpAddress address;
  MacAddress mac;

  auto operator<=>(const Neighbour&) const = default;
};

/// What turns an empty network namespace into the node of a NodeState.
struct SetUp {
  std::vector<Command> commands;  ///< In order.
  std::vector<Port> ports;        ///< The uplink's, then one per pod.
  std::vector<Neighbour> neighbours;

  bool operator==(const SetUp&) const = default;
};

/// The namespace in which the far ends of the veths lie, as the commands call it.
inline constexpr std::string_view kWorld = "world";

/// Whether the commands make the uplink's veth pair, or find its end in the namespace.
enum class UplinkPair : std::uint8_t { Make, Find };

/// The commands that make `state` in a fresh namespace, run there as root.
///
/// All next hops on the uplink and `more_neighbours` get a permanent neighbour entry with a
/// link-layer address of its own, so that a frame tells its next hop and nobody asks with ARP; any
/// other neighbour is taken to be at the device's own address (`arp off`). Where the state has no
/// IPv6 it is switched off; there are no link-local addresses.
///
/// A route whose device the state lacks is left out, and one whose device is down goes away with
/// it, as on a real node.
///
/// Three things are unlike a node, so that one packet in is only what became of it out: ICMP errors
/// have no rate limit, there are no redirects, and the node does not answer echo requests or reset
/// unknown TCP connections.
SetUp set_up(const node::NodeState& state, std::span<const IpAddress> more_neighbours = {},
             UplinkPair uplink = UplinkPair::Make);

// The last step of set_up(), in set_up_filters.cpp: the commands of iptables that make the packet
// filter of a node. They follow Felix (calico/felix/rules) and kube-proxy.

/// Felix's packet filters. Every rule that drops carries the name of its Drop as a comment, by
/// which its counter is found.
void add_filters(const node::NodeState& state, std::vector<Command>& commands);

/// Whether any device, pod or route of the state is of this family.
bool has_ipv6(const node::NodeState& state);

/// A link-layer address of ours: what it is for, and which of them.
MacAddress numbered_mac(std::uint8_t role, std::size_t number);

/// "100.96.1.1/32".
std::string host_prefix(IpAddress address);

}  // namespace overlane::kernel
