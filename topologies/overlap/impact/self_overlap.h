#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/overlap/impact/network_relation.h"
#include "topologies/overlap/inventory/inventory.h"

namespace overlane::overlap {

/// A range of a shoot and one that it meets whatever other shoots do.
struct SelfOverlap {
  const Range& own;
  const Range& other;
  Impact impact;
  bool is_own = false;     ///< `other` is the same shoot's …
  std::string_view owner;  ///< … or whose.
};

/// A range that Gardener, a cloud or the landscape's operator keeps.
struct Reserved {
  Range range;
  std::string owner;
  std::string_view rule;  ///< What a shoot breaks that has addresses of it.
  /// Whose shoots alone it concerns; nothing: all.
  std::optional<effective::Provider> provider;
};
std::vector<Reserved> reserved_ranges(const Inventory& inventory);

/// What comes of such a pair: a sentence.
std::string consequence(const Shoot& shoot, const SelfOverlap& pair);

/// Compares a shoot's ranges with each other, with its seed's and with the reserved ones. Of a
/// shoot that Gardener refuses the first range of hosts that pods or services meet stands for the
/// others.
void compare_own_ranges(const Shoot& shoot, const std::vector<Reserved>& reserved,
                        const std::function<void(const SelfOverlap&)>& visit);

}  // namespace overlane::overlap
