#pragma once

#include <optional>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"
#include "sim/cost/cost_profile.h"
#include "sim/cost/services.h"
#include "sim/cost/wire.h"
#include "sim/fabric/limits.h"
#include "sim/fabric/path.h"
#include "sim/host/machine.h"

namespace overlane::run {

/// What carries the traffic: `nodes[i]`, `machines[i]` and `fabric.instances[i]` are the same
/// machine.
struct Network {
  std::vector<node::NodeState> nodes;
  node::FabricState fabric;
  std::vector<host::Machine> machines;
  /// Veth: `machines` are one and the same, but for offloads; `paths` and `limits` are the NICs'.
  cost::Wire wire = cost::Wire::Nic;
  fabric::Paths paths;
  fabric::Limits limits;
  std::optional<cost::CostProfile> costs;               ///< Without one, CPU time is free.
  cost::Datapath datapath = cost::Datapath::Netfilter;  ///< Of the nodes' kernels.
  cost::Services services;
};

}  // namespace overlane::run
