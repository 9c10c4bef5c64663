#pragma once

#include <string>
#include <vector>

#include "dataplane/node/fabric_state.h"

namespace overlane::node {

/// The parts of a VPC's text. Each line stands for itself, so that a difference can be told line by
/// line.

/// The VPC as a whole, its subnets and the route tables' quotas.
std::vector<std::string> network_lines(const FabricState& state);
/// "table routes-a: 100.96.1.0/24 -> node-2 (route controller)".
std::string route_line(const FabricState& state, const RouteTable& table,
                       const IpPrefix& destination, const FabricRoute& route);
/// An interface with its guard and its groups.
std::string instance_line(const FabricState& state, const Instance& instance);
/// Security groups, a line for each and one for each rule, and what the fabric drops.
std::vector<std::string> rule_lines(const FabricState& state);

}  // namespace overlane::node
