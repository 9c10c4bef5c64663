#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topologies/overlap/inventory/routing_scope.h"
#include "topologies/overlap/pairs/impact.h"

// Finds all overlapping pairs among the ranges of one scope. A landscape with 10,000 shoots of the
// same default pod range has 50 million pairs, so pairs are counted and only a few of each kind are
// listed. Ranges of the same properties are one class, and pairs of the same two classes and the
// same relation of networks have one impact: such pairs form a group. One sweep over the sorted
// ranges (ranges/sweep.h) counts, at each range, the enclosing ranges per class and per thing that
// both share (route table, network, project). The search does not change its input and may run for
// several scopes at the same time; `entries` and the ranges that they point to must outlive it.
namespace overlane::overlap {

/// A range of a search.
struct RangeEntry {
  const Range* range = nullptr;
  RoutingScope routing_scope;
  /// Ranges of one owner are not compared with each other. Entries of one owner are adjacent.
  std::uint32_t owner = 0;
  bool asked_about = false;  ///< Its pairs are listed first.
};

/// Two entries that overlap, by index.
struct RangePair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Relation relation;

  auto operator<=>(const RangePair&) const = default;
};

/// Overlapping pairs with the same impact and roles.
struct PairGroup {
  Impact impact;
  Role first = Role::Pods;
  Role second = Role::Pods;
  std::uint64_t pairs = 0;
  std::uint64_t owners = 0;       ///< Number of owners, without Role::Declared.
  std::vector<RangePair> listed;  ///< Pairs with `asked_about`, then others by address.
};

/// The network or connection of a search.
struct SearchScope {
  /// In a domain: the relation of ranges whose networks are possibly one.
  NetworkRelation if_same = NetworkRelation::OneNetwork;
  /// If true, only pairs of different networks count, with the relation `connected`.
  bool is_connection = false;
  effective::Provider provider{};  ///< Its route controllers decide which shoot loses routes.
  NetworkRelation connected = NetworkRelation::Connected;
};

/// Finds and groups all overlapping pairs, with exact counts, in O(n log n + n·k) for k classes of
/// ranges, whatever the number of pairs. Lists at most `most_listed` pairs of each group, and as
/// many with `asked_about`; groups below `least_listed` are only counted.
std::vector<PairGroup> search(std::span<const RangeEntry> entries, const SearchScope& scope,
                              std::size_t most_listed, Severity least_listed);

// The units of comparison. Ranges are compared with each other inside a scope: a routing domain
// (all networks of one name) or a declared connection, with the shoots and the declared ranges in
// it. A `Comparison` is an inventory with all its scopes, ready for search(). The scopes point into
// the inventory, so a `Comparison` can be moved, but not copied, and its inventory must not change.

/// An owner of ranges in a search: a shoot, or a declaration.
struct ComparedOwner {
  RoutingScope routing_scope;
  const Shoot* shoot = nullptr;
  std::vector<Range> ranges;        ///< The ranges of a declaration; empty for a shoot.
  std::vector<std::string> owners;  ///< Names of the owners of `ranges`.

  /// The name of the owner of `range`. Without a shoot, it must be an element of `ranges`.
  std::string owner_of(const Range& range) const;
};

/// The input of one search.
struct ComparisonScope {
  std::string key;  ///< "aws/vpc-1", "connection/hub".
  SearchScope scope;
  std::vector<ComparedOwner> owners;
  std::vector<RangeEntry> entries;  ///< Entries that point into `owners` and their shoots.

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
