#pragma once

#include <compare>
#include <span>
#include <string>
#include <vector>

#include "dataplane/kernel/set_up/set_up.h"
#include "dataplane/node/state/fabric_state.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

/// How a node hangs on the fabric.
struct FabricPort {
  std::string uplink;  ///< The node's device; the veth's far end becomes `device` in the fabric.
  std::string device;
  std::vector<Command> node_commands;  ///< In the node: its link address, and its neighbours'.

  auto operator<=>(const FabricPort&) const = default;
};

/// What turns an empty network namespace into the VPC of a FabricState.
struct FabricSetUp {
  std::vector<Command> sysctls;   ///< Before the uplinks' far ends come.
  std::vector<Command> commands;  ///< Behind them.
  std::vector<FabricPort> ports;  ///< One for each node, in order.

  bool operator==(const FabricSetUp&) const = default;
};

/// The commands for a fabric between `nodes`, which are its instances in order.
///
/// Where the fabric honours the next hop each subnet is a bridge, and a router between them has
/// the route tables. Where the destination alone decides there is the router alone, and each node
/// has a link of its own to it. Both forward what a Linux kernel forwards: a router takes one off
/// the TTL, which a VPC does not. Fails for what cannot be made: several route tables with IPv6.
Parsed<FabricSetUp> fabric_set_up(const node::FabricState& fabric, std::span<const SetUp> nodes);

/// What such a fabric leaves to the model, by name ("security groups"), and a fabric without it.
std::vector<std::string> left_to_the_model(const node::FabricState& fabric);
node::FabricState without_what_is_left(node::FabricState fabric);

}  // namespace overlane::kernel
