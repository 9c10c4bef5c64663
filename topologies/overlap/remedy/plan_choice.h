#pragma once

#include <vector>

#include "topologies/overlap/remedy/conflicts.h"

namespace overlane::overlap {

/// Which shoots have to change; both by Inventory::shoots.
struct Choice {
  std::vector<bool> shoots;
  std::vector<bool> exact;  ///< Of such a shoot: no smaller set does; else it was not looked for.
};

/// Shoots without which none of the conflicts that count is left, chosen as plan() says.
Choice choose_shoots(const Comparison& comparison, const ConflictScope& scope);

}  // namespace overlane::overlap
