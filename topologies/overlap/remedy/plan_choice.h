#pragma once

#include <vector>

#include "topologies/overlap/remedy/conflicts.h"

namespace overlane::overlap {

/// The shoots to change; both members by Inventory::shoots.
struct Choice {
  std::vector<bool> shoots;
  std::vector<bool> exact;  ///< No smaller set exists; false: not known.
};

/// Shoots without which no conflict remains, chosen as plan() describes.
Choice choose_shoots(const Comparison& comparison, const ConflictScope& scope);

}  // namespace overlane::overlap
