#pragma once

#include <vector>

#include "dataplane/node/state/node_state.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/graph/topology.h"

namespace overlane::compile {

/// The kernel configuration of each node as the CNI's agent writes it (cni::NodeCompiler). All
/// nodes share one cluster table.
std::vector<node::NodeState> node_states(const graph::Topology& topology,
                                         const effective::EffectiveDataplane& shoot);

}  // namespace overlane::compile
