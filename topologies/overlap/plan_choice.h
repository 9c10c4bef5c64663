#pragma once

#include <vector>

#include "topologies/overlap/scene.h"

namespace overlane::overlap {

/// Which shoots have to change; both by Inventory::shoots.
struct Choice {
  std::vector<bool> shoots;
  std::vector<bool> exact;  ///< Of such a shoot: no smaller set does; else it was not looked for.
};

/// Shoots without which nothing that weighs at least `threshold` is left, chosen as plan() says.
Choice choose_shoots(const Inventory& inventory, const std::vector<Scene>& scenes,
                     Severity threshold);

}  // namespace overlane::overlap
