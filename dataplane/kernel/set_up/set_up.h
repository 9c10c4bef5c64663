#pragma once

#include <compare>
#include <span>
#include <string>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::kernel {

// Turns a NodeState into the commands (ip, sysctl, iptables) that make such a node in an empty
// namespace. Nothing is executed here; run_commands.h does that.

/// A veth pair between the node's namespace and the world namespace around it. Both ends have the
/// same name.
struct Port {
  std::string device;
  forward::Egress egress = forward::Egress::Uplink;  ///< Pod or Uplink.
  MacAddress node_mac;                               ///< MAC address of the node's end.

  auto operator<=>(const Port&) const = default;
};

/// A permanent neighbour entry of the node: the link-layer address of an IP address on one of its
/// ports.
struct Neighbour {
  std::string device;
  IpAddress address;
  MacAddress mac;

  auto operator<=>(const Neighbour&) const = default;
};

/// The commands that turn an empty network namespace into the node of a NodeState, and its ports.
struct SetUp {
  std::vector<Command> commands;  ///< In order.
  std::vector<Port> ports;        ///< The uplink's port, then one per pod.
  std::vector<Neighbour> neighbours;

  bool operator==(const SetUp&) const = default;
};

/// Name in the commands of the namespace that holds the far ends of the veths.
inline constexpr std::string_view kWorld = "world";

/// Whether the commands make the uplink's veth pair, or the namespace already has its end.
enum class UplinkPair : std::uint8_t { Make, Find };

/// The commands that make `state` in a new namespace, to be run there as root.
///
/// All next hops on the uplink and `more_neighbours` get a permanent neighbour entry with a unique
/// link-layer address, so that a frame identifies its next hop and no ARP is needed. Any other
/// neighbour is assumed to have the device's own address (`arp off`). If the state has no IPv6, it
/// is disabled. There are no link-local addresses.
///
/// A route through a device that the state lacks is omitted. A route through a device that is down
/// disappears with it, as on a real node.
///
/// Three settings differ from a real node, so that every packet that leaves is caused by the packet
/// that was sent in: ICMP errors have no rate limit, there are no redirects, and the node does not
/// answer echo requests or reset unknown TCP connections.
SetUp set_up(const node::NodeState& state, std::span<const IpAddress> more_neighbours = {},
             UplinkPair uplink = UplinkPair::Make);

// The last step of set_up(), in set_up_filters.cpp: the iptables commands for the packet filter of
// a node. They follow Felix (calico/felix/rules) and kube-proxy.

/// Adds Felix's packet filters. Every rule that drops packets has the name of its Drop as a
/// comment, which identifies its counter.
void add_filters(const node::NodeState& state, std::vector<Command>& commands);

/// kube-proxy's rules for connections whose client the endpoint must not see: the target that marks
/// them, and the rule that masquerades them.
inline constexpr std::string_view kMarkForMasquerade = "-j MARK --or-mark 0x4000";
inline constexpr std::string_view kMasqueradeMarked =
    "-A POSTROUTING -m mark --mark 0x4000/0x4000 -j MASQUERADE --random-fully";
/// The target that sends a connection to an endpoint: "-j DNAT --to-destination 100.96.1.2:53".
std::string to_endpoint(const node::Endpoint& endpoint);

/// Whether any device, pod or route of the state is of this family.
bool has_ipv6(const node::NodeState& state);

/// A locally administered link-layer address, made from the kind of its use and a number.
MacAddress numbered_mac(std::uint8_t role, std::size_t number);

/// "100.96.1.1/32".
std::string host_prefix(IpAddress address);

}  // namespace overlane::kernel
