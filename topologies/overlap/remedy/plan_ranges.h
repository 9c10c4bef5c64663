#pragma once

#include <vector>

#include "topologies/overlap/remedy/plan.h"

namespace overlane::overlap {

/// Sets what pods and services become (Change::to), in IPv4: free ranges of the size that each has,
/// as long as there are any; then, of pods, some that hold the workers' greatest number of nodes,
/// and no fewer than are usual. Each is proposed once in a network and those that connections join
/// with it.
void propose_ranges(const Inventory& inventory, const RoutingScopes& routing_scopes,
                    std::vector<PlanStep>& steps);

}  // namespace overlane::overlap
