#pragma once

#include <map>
#include <string>

#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/sharing/routing_scope.h"

namespace overlane::overlap {

/// For domains that are possibly several networks of one name: which information would tell. By
/// Domain::key.
std::map<std::string, std::string> uncertainties(const Inventory& inventory,
                                                 const RoutingScopes& routing_scopes);

}  // namespace overlane::overlap
