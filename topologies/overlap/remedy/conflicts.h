#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "topologies/overlap/search/comparison_scope.h"

namespace overlane::overlap {

/// Who is in conflict with whom: indices of Inventory::shoots.
struct Conflicts {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< Each once, the lower one first.
  std::vector<std::uint32_t> alone;  ///< With something that is no shoot's, or with itself.
  bool complete = true;              ///< Else there are more.

  /// A range of a shoot that takes part in them, and whose it meets.
  struct Involved {
    std::uint32_t shoot = 0;
    Role role = Role::Pods;
    IpPrefix cidr;
    std::string other;

    auto operator<=>(const Involved&) const = default;
  };
  std::vector<Involved> involved;  ///< Each once.
};

/// Which conflicts count.
struct ConflictScope {
  Severity least = Severity::Error;
  std::string domain;  ///< Only what a report tells of this one, by its key; empty: of all.
};

/// Those of the shoots for which `takes_part` is set.
Conflicts find_conflicts(const Inventory& inventory, const RoutingScopes& routing_scopes,
                         const std::vector<ComparisonScope>& comparison_scopes,
                         const std::vector<bool>& takes_part, const ConflictScope& scope);

}  // namespace overlane::overlap
