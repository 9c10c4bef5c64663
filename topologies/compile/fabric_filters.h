#pragma once

#include "dataplane/node/state/fabric_state.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::compile {

/// Adds the security groups and firewall rules that Gardener's infrastructure controller creates
/// for a shoot, with the instances as members. Without such rules all traffic is allowed: existing
/// filters (Azure's network security group, a metal fabric) allow the shoot's own traffic.
void add_filters(node::FabricState& fabric, const effective::EffectiveDataplane& shoot);

}  // namespace overlane::compile
