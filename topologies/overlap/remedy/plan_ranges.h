#pragma once

#include <vector>

#include "topologies/overlap/remedy/plan.h"

namespace overlane::overlap {

/// Sets Change::to of IPv4 pods and services: free ranges of the same size; if none is free, pod
/// ranges for the workers' maximum of nodes, and at least 256. Each range is proposed once in a
/// network and its connected networks.
void propose_ranges(const Inventory& inventory, const RoutingScopes& routing_scopes,
                    std::vector<PlanStep>& steps);

}  // namespace overlane::overlap
