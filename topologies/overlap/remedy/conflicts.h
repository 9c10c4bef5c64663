#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "topologies/overlap/pairs/comparison_scope.h"

// The conflicts between shoots as a graph: which two shoots cannot both keep their ranges. A plan
// (remedy/plan.h) removes shoots from this graph until no edge is left. A shoot that conflicts
// with itself or with an owner that is no shoot has to change in any case. Large landscapes have
// more pairs than can be listed; `complete` then is false, and the caller searches again after its
// first choices.
namespace overlane::overlap {

/// Pairs of shoots in conflict; indices of Inventory::shoots.
struct Conflicts {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< Each once, the lower one first.
  std::vector<std::uint32_t> alone;  ///< Shoots in conflict with themselves or with no shoot.
  bool complete = true;              ///< False: there are more pairs.

  /// A range of a shoot that is part of a conflict, and the owner of the other range.
  struct Involved {
    std::uint32_t shoot = 0;
    Role role = Role::Pods;
    IpPrefix cidr;
    std::string other;

    auto operator<=>(const Involved&) const = default;
  };
  std::vector<Involved> involved;  ///< Each once.
};

/// The conflicts to find.
struct ConflictScope {
  Severity least = Severity::Error;
  std::string domain;  ///< Key of the only domain to search; empty: all.
};

/// Conflicts among the shoots for which `takes_part` is set; it has an entry for each shoot of the
/// inventory.
Conflicts find_conflicts(const Comparison& comparison, const std::vector<bool>& takes_part,
                         const ConflictScope& scope);

}  // namespace overlane::overlap
