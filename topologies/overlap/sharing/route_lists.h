#pragma once

#include "topologies/overlap/sharing/routing_scope.h"

namespace overlane::overlap {

/// Sets `list` and `tables` of the shoots' and the declared networks' positions, of which the rest
/// is known. Declared networks have lists and tables of their own.
void number_route_lists(const Inventory& inventory, RoutingScopes& routing_scopes);

}  // namespace overlane::overlap
