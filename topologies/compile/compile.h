#pragma once

#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"
#include "results/finding/finding.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/graph/topology.h"

namespace overlane::compile {

/// The states that executors run. `nodes`, the topology's nodes and the fabric's instances have the
/// same numbering.
struct Compiled {
  std::vector<node::NodeState> nodes;
  node::FabricState fabric;
  Findings findings;  ///< Routes beyond the route quota.
};

/// The node states and the fabric state that Gardener, the CNI and the cloud configure for this
/// dataplane. Fails with `unsupported-encryption` for WireGuard around a tunnel, and with
/// `unsupported-ip-family` for IPv6 on providers whose pods have none and in overlays that are not
/// modelled with IPv6.
Result<Compiled> compile(const graph::Topology& topology,
                         const effective::EffectiveDataplane& shoot);

}  // namespace overlane::compile
