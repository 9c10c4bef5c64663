#pragma once

#include <string>

#include "topologies/overlap/analyze/request.h"
#include "topologies/overlap/search/comparison_scope.h"

namespace overlane::overlap {

/// The domain of the proposals: the requested one, or the only one; nullptr: neither.
const Domain* domain_for_proposals(const Request& request, const RoutingScopes& routing_scopes);

/// Why there is nothing to compare; empty: there is.
std::string missing_input(bool has_candidates, const Inventory& inventory);

/// Why the request does not fit these shoots; empty: it does.
std::string invalid_request(const Request& request, const Comparison& comparison);

}  // namespace overlane::overlap
