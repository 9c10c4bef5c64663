#pragma once

#include <utility>
#include <vector>

#include "topologies/overlap/search/comparison_scope.h"

namespace overlane::command {

/// What is compared. Scenes point into the inventory.
struct Compared {
  explicit Compared(overlap::Inventory all)
      : inventory(std::move(all)),
        positions(overlap::locate(inventory)),
        scenes(overlap::scenes(inventory, positions)) {}
  Compared(const Compared&) = delete;

  overlap::Inventory inventory;
  overlap::Positions positions;
  std::vector<overlap::Scene> scenes;
};

}  // namespace overlane::command
