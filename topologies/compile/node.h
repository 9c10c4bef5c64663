#pragma once

#include <memory>
#include <vector>

#include "dataplane/node/state/node_state.h"
#include "dataplane/node/state/packet_filter.h"
#include "topologies/cni/extension/node_compiler.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/graph/topology.h"

namespace overlane::compile {

// The kernel state of each node: uplink, pods, sysctls and masquerading, which all nodes have,
// and what the CNI's agent adds through cni::NodeCompiler. Tables that are equal on all nodes
// are shared.

/// The kernel configuration of each node as the CNI's agent writes it (cni::NodeCompiler). All
/// nodes share one cluster table.
std::vector<node::NodeState> node_states(const graph::Topology& topology,
                                         const effective::EffectiveDataplane& shoot);

}  // namespace overlane::compile
