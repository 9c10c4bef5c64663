#pragma once

#include <utility>
#include <vector>

#include "topologies/overlap/search/comparison_scope.h"

namespace overlane::command {

/// What is compared. Scenes point into the inventory.
struct Compared {
  explicit Compared(overlap::Inventory all)
      : inventory(std::move(all)),
        routing_scopes(overlap::locate(inventory)),
        comparison_scopes(overlap::comparison_scopes(inventory, routing_scopes)) {}
  Compared(const Compared&) = delete;

  overlap::Inventory inventory;
  overlap::RoutingScopes routing_scopes;
  std::vector<overlap::ComparisonScope> comparison_scopes;
};

}  // namespace overlane::command
