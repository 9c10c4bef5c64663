#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::node {

// NodeState and FabricState as text, in the format of the tools that show them on a node: ip,
// ipset, sysctl, wg, bridge. Each line is complete by itself, so that state_diff.h can compare line
// by line.

// The parts of a node's text.

/// The line of a pod's veth: "cali64600002: veth mtu 1500 state UP", with the MTU of the routes
/// inside the pod if they have their own.
std::string pod_line(const NodeState& state, const LocalPod& pod);

/// The two entries that Felix makes for one peer of a VXLAN device: the MAC of the peer's VTEP
/// address on the link, and the node address where that MAC is.
struct NeighbourEntry {
  std::string neighbour;   ///< The entry as `ip neigh` prints it.
  std::string forwarding;  ///< The entry as `bridge fdb` prints it.
};
/// Returns the entries of a peer. Returns nothing if the device needs none, if the peer has no
/// addresses of the underlay's family, or if its VTEP address is 0.0.0.0.
std::optional<NeighbourEntry> neighbour_entry(const Device& device, const Member& peer);

/// The lines of the local routes as `ip route show table local` prints them: "local 100.96.2.0/24
/// dev lo proto static".
std::vector<std::string> local_route_lines(const NodeState& state);
/// The permanent entries that Felix makes for the peers of its VXLAN devices, as `ip neigh` and
/// `bridge fdb` print them. Sorted.
std::vector<std::string> neighbour_lines(const NodeState& state);

/// The rule that consults Felix's table for WireGuard first, and the peers of each WireGuard
/// device, in the format of `ip rule` and `wg show`: "wireguard.cali peer node-2 endpoint
/// 10.250.0.5:51820 allowed ips 100.96.2.0/24". Sorted.
std::vector<std::string> wireguard_lines(const NodeState& state);
/// The line of the rule for WireGuard; nothing if the family has none.
std::optional<std::string> wireguard_rule_line(const ClusterTable& table, Family family);
/// The line of one WireGuard peer; nothing if it has no address of the underlay's family.
std::optional<std::string> wireguard_line(const Device& device, const Member& peer);

/// The line of one node address in the filter's set: "add members 10.250.0.4".
std::string member_line(IpAddress address);

/// The node addresses from which tunnel packets are accepted, as `ipset save` prints them, and the
/// rules of the packet filter.
std::vector<std::string> filter_lines(const NodeState& state);

/// The forwarding sysctl of a family: "net.ipv4.ip_forward = 1".
std::string forwarding_line(const Sysctls& sysctls, Family family);
std::string rp_filter_line(const Sysctls& sysctls);

/// The sysctls as `sysctl` prints them, and kernel behaviour that no sysctl shows.
std::vector<std::string> sysctl_lines(const NodeState& state);

// The parts of a VPC's text.

/// The line of the VPC: "vpc shop mtu 1500".
std::string vpc_line(const FabricState& state);
/// The line of the path MTUs: "path mtu within zone 1500 across zones 1400 silent".
std::string path_mtu_line(const FabricPathMtu& path);
/// The line of the egress MTU: "egress mtu 1500".
std::string egress_mtu_line(const FabricState& state);
/// The line of a subnet: "subnet nodes-a 10.250.0.0/19 zone a table routes-a".
std::string subnet_line(const FabricState& state, const Subnet& subnet);
/// The VPC as a whole, its subnets and the route tables' quotas.
std::vector<std::string> network_lines(const FabricState& state);
/// The line of a VPC route: "table routes-a: 100.96.1.0/24 -> node-2 (route controller)".
std::string route_line(const FabricState& state, const RouteTable& table,
                       const IpPrefix& destination, const FabricRoute& route);
/// The line of an instance's interface, with its source check and its groups.
std::string instance_line(const FabricState& state, const Instance& instance);
/// The line in front of a group's rules: "group shop-nodes".
std::string group_line(const SecurityGroup& group);
/// The line of a rule: "group shop-nodes: allow from interfaces of the group".
std::string rule_line(const SecurityGroup& group, const FabricRule& rule);
std::string dropped_protocol_line(std::uint8_t protocol);
inline constexpr std::string_view kDropsDisorderedFragments =
    "drops fragments that come out of order";
inline constexpr std::string_view kAnswersWithinSubnet =
    "answers link-layer requests for addresses of the subnet only";
std::string decrementing_hops_line(const FabricState& state);
/// The lines of the security groups and of their rules, and of everything that the fabric drops.
std::vector<std::string> rule_lines(const FabricState& state);

}  // namespace overlane::node
