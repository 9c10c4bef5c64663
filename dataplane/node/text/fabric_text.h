#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/node/state/fabric_state.h"

namespace overlane::node {

/// The parts of a VPC's text. Each line stands for itself, so that a difference can be told line by
/// line.

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
