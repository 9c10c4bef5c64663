#pragma once

#include <map>
#include <string>

#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/sharing/routing_scope.h"

namespace overlane::overlap {

/// Of domains that are possibly several networks of one name, what would tell: a sentence, by
/// Domain::key.
std::map<std::string, std::string> doubts(const Inventory& inventory,
                                          const RoutingScopes& routing_scopes);

}  // namespace overlane::overlap
