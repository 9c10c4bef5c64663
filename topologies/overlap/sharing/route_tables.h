#pragma once

#include "topologies/overlap/sharing/routing_scope.h"

namespace overlane::overlap {

/// Sets `route_table` and `possible_table` of all scopes, of which the other members are set.
/// Declared networks have tables of their own.
void number_route_tables(const Inventory& inventory, RoutingScopes& routing_scopes);

}  // namespace overlane::overlap
