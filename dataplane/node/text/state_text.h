#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::node {

// NodeState and FabricState as text, in the words of the tools that show them on a node: ip, ipset,
// sysctl, wg, bridge. Each line is complete by itself, so that state_diff.h can compare line by
// line.

// The parts of a node's text.

/// "cali64600002: veth mtu 1500 state UP", with the MTU of the routes inside the pod if they have
/// one of their own.
std::string pod_line(const NodeState& state, const LocalPod& pod);

/// The two entries that Felix makes for one peer of a VXLAN device: where its VTEP's address is on
/// the link, and where on the network.
struct NeighbourEntry {
  std::string neighbour;   ///< The entry as `ip neigh` prints it.
  std::string forwarding;  ///< The entry as `bridge fdb` prints it.
};
/// Nothing when the device needs none, or the peer has no addresses of its underlay, or 0.0.0.0 for
/// its VTEP's.
std::optional<NeighbourEntry> neighbour_entry(const Device& device, const Member& peer);

/// "local 100.96.2.0/24 dev lo proto static", as `ip route show table local` prints them.
std::vector<std::string> local_route_lines(const NodeState& state);
/// The permanent entries that Felix makes for its VXLAN devices' peers: as `ip neigh` and as
/// `bridge fdb` print them. Sorted.
std::vector<std::string> neighbour_lines(const NodeState& state);

/// The rule that asks Felix's table for WireGuard first, and what each WireGuard device knows of
/// its peers, as `ip rule` and `wg show` have it: "wireguard.cali peer node-2
/// endpoint 10.250.0.5:51820 allowed ips 100.96.2.0/24". Sorted.
std::vector<std::string> wireguard_lines(const NodeState& state);
/// The rule's line; nothing when there is none for the family.
std::optional<std::string> wireguard_rule_line(const ClusterTable& table, Family family);
/// The line of one peer; nothing when it has no address of the underlay.
std::optional<std::string> wireguard_line(const Device& device, const Member& peer);

/// "add members 10.250.0.4".
std::string member_line(IpAddress address);

/// The node addresses that tunnel packets are taken from, as `ipset save` prints them, and the
/// packet filter's rules.
std::vector<std::string> filter_lines(const NodeState& state);

/// "net.ipv4.ip_forward = 1", or of IPv6.
std::string forwarding_line(const Sysctls& sysctls, Family family);
std::string rp_filter_line(const Sysctls& sysctls);

/// Sysctls as `sysctl` prints them, and kernel behaviour that no sysctl tells.
std::vector<std::string> sysctl_lines(const NodeState& state);

// The parts of a VPC's text.

/// "vpc shop mtu 1500".
std::string vpc_line(const FabricState& state);
/// "path mtu within zone 1500 across zones 1400 silent".
std::string path_mtu_line(const FabricPathMtu& path);
/// "egress mtu 1500".
std::string egress_mtu_line(const FabricState& state);
/// "subnet nodes-a 10.250.0.0/19 zone a table routes-a".
std::string subnet_line(const FabricState& state, const Subnet& subnet);
/// The VPC as a whole, its subnets and the route tables' quotas.
std::vector<std::string> network_lines(const FabricState& state);
/// "table routes-a: 100.96.1.0/24 -> node-2 (route controller)".
std::string route_line(const FabricState& state, const RouteTable& table,
                       const IpPrefix& destination, const FabricRoute& route);
/// An interface with its guard and its groups.
std::string instance_line(const FabricState& state, const Instance& instance);
/// The head of its rules: "group shop-nodes".
std::string group_line(const SecurityGroup& group);
/// "group shop-nodes: allow from interfaces of the group".
std::string rule_line(const SecurityGroup& group, const FabricRule& rule);
std::string dropped_protocol_line(std::uint8_t protocol);
inline constexpr std::string_view kDropsDisorderedFragments =
    "drops fragments that come out of order";
inline constexpr std::string_view kAnswersWithinSubnet =
    "answers link-layer requests for addresses of the subnet only";
std::string decrementing_hops_line(const FabricState& state);
/// Security groups, a line for each and one for each rule, and what the fabric drops.
std::vector<std::string> rule_lines(const FabricState& state);

}  // namespace overlane::node
