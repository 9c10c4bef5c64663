#pragma once

#include "dataplane/node/state/fabric_state.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::compile {

/// Adds the security groups and firewall rules that Gardener's infrastructure controller makes for
/// a shoot, and puts the instances in them. Providers without rules of their own stay open: what
/// stands there before (Azure's network security group, a metal fabric) lets the shoot's own
/// traffic through.
void add_filters(node::FabricState& fabric, const effective::EffectiveDataplane& shoot);

}  // namespace overlane::compile
