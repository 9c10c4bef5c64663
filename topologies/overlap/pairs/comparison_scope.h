#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topologies/overlap/pairs/search.h"

// The units of comparison. Ranges are compared with each other inside a scope: a routing domain
// (all networks of one name) or a declared connection, with the shoots and the declared ranges in
// it. A `Comparison` is an inventory with all its scopes, ready for search(). The scopes point
// into the inventory, so a `Comparison` can be moved, but not copied, and its inventory must not
// change.
namespace overlane::overlap {

/// An owner of ranges in a search: a shoot, or a declaration.
struct ComparedOwner {
  RoutingScope routing_scope;
  const Shoot* shoot = nullptr;
  std::vector<Range> ranges;        ///< The ranges of a declaration …
  std::vector<std::string> owners;  ///< … and the name of each range's owner.

  /// The name of the owner of `range`, which must be an element of `ranges` if this is no shoot.
  std::string owner_of(const Range& range) const;
};

/// The input of one search.
struct ComparisonScope {
  std::string key;  ///< "aws/vpc-1", "connection/hub".
  SearchScope scope;
  std::vector<ComparedOwner> owners;
  std::vector<RangeEntry> entries;  ///< They point into `owners` and their shoots.

  ComparisonScope() = default;
  ComparisonScope(ComparisonScope&&) = default;
  ComparisonScope(const ComparisonScope&) = delete;

  const ComparedOwner& owner_of_entry(const RangeEntry& entry) const { return owners[entry.owner]; }
};

/// One scope for each routing domain with more than one owner, and one for each declared
/// connection.
std::vector<ComparisonScope> comparison_scopes(const Inventory& inventory,
                                               const RoutingScopes& routing_scopes);

/// An inventory prepared for searches. Its scopes point into its inventory, so that it can be moved
/// and not copied.
struct Comparison {
  explicit Comparison(Inventory all);
  Comparison(Comparison&&) = default;
  Comparison(const Comparison&) = delete;

  Inventory inventory;
  RoutingScopes routing_scopes;
  std::vector<ComparisonScope> comparison_scopes;
};

}  // namespace overlane::overlap
