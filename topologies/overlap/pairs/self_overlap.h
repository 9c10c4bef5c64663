#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/pairs/impact.h"

// Overlaps that need no second shoot: between a shoot's own ranges, with the ranges of its seed
// (the VPN between seed and shoot then has no unique route), and with ranges that Gardener, the
// cloud or the landscape's operator reserves. `SelfOverlap` refers to ranges of the shoot, its
// seed or `reserved`, which must outlive it.
namespace overlane::overlap {

/// An overlap within one shoot, with its seed or with a reserved range.
struct SelfOverlap {
  const Range& own;
  const Range& other;
  Impact impact;
  bool is_own = false;     ///< `other` belongs to the same shoot …
  std::string_view owner;  ///< … or else to this owner.
};

/// A range that Gardener, a cloud or the landscape operator reserves.
struct Reserved {
  Range range;
  std::string owner;
  std::string_view rule;  ///< The rule that a shoot with such addresses violates.
  /// Applies only to shoots of this provider; nothing: to all.
  std::optional<effective::Provider> provider;
};
std::vector<Reserved> reserved_ranges(const Inventory& inventory);

/// The impact of such a pair, as a sentence.
std::string consequence(const Shoot& shoot, const SelfOverlap& pair);

/// Compares a shoot's ranges with each other, with its seed's and with reserved ones. If Gardener
/// refuses the shoot, reports pods and services with the first node or VPC range only.
void compare_own_ranges(const Shoot& shoot, const std::vector<Reserved>& reserved,
                        const std::function<void(const SelfOverlap&)>& visit);

}  // namespace overlane::overlap
