#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topologies/overlap/search/search.h"

namespace overlane::overlap {

/// Who takes part in a search: a shoot, or what somebody declares.
struct Owner {
  RoutingScope routing_scope;
  const Shoot* shoot = nullptr;
  std::vector<Range> ranges;        ///< Without a shoot …
  std::vector<std::string> owners;  ///< … and who has each.

  /// Who has the range, which is one of the party's.
  std::string owner_of(const Range& range) const;
};

/// All that takes part in one search.
struct ComparisonScope {
  std::string key;  ///< "aws/vpc-1", "connection/hub".
  SearchScope scope;
  std::vector<Owner> owners;
  std::vector<RangeEntry> entries;  ///< Of the parties; they point into them.

  ComparisonScope() = default;
  ComparisonScope(ComparisonScope&&) = default;
  ComparisonScope(const ComparisonScope&) = delete;

  const Owner& owner_of_entry(const RangeEntry& entry) const { return owners[entry.owner]; }
};

/// The scenes in which ranges of different parties could meet: of the networks that have more than
/// one party, and of the declared connections.
std::vector<ComparisonScope> comparison_scopes(const Inventory& inventory,
                                               const RoutingScopes& routing_scopes);

}  // namespace overlane::overlap
