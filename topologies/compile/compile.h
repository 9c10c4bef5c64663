#pragma once

#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"
#include "results/finding/result.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/graph/topology.h"

namespace overlane::compile {

/// The states that executors run. `nodes`, the topology's nodes and the fabric's instances share
/// their numbering.
struct Compiled {
  std::vector<node::NodeState> nodes;
  node::FabricState fabric;
  Findings findings;  ///< Routes that the quota left out.
};

/// Writes the node states and the fabric state that Gardener, Calico or Cilium, and the cloud would
/// make of this dataplane. Refused with `unsupported-encryption` for WireGuard around cilium's
/// tunnel, and with `unsupported-ip-family` for IPv6 where it is not known what becomes of it: on
/// providers that have none for pods, and in overlays that Gardener does not make whole.
Result<Compiled> compile(const graph::Topology& topology,
                         const effective::EffectiveDataplane& shoot);

}  // namespace overlane::compile
