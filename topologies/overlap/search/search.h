#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topologies/overlap/impact/network_relation.h"
#include "topologies/overlap/sharing/routing_scope.h"

namespace overlane::overlap {

/// A range that takes part in a search.
struct RangeEntry {
  const Range* range = nullptr;
  RoutingScope routing_scope;
  /// Ranges of one party are not compared: they are one shoot's, or one declaration's.
  std::uint32_t owner = 0;
  bool asked_about = false;  ///< Its pairs are listed before others.
};

/// Two claims that overlap.
struct RangePair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Relation relation;

  auto operator<=>(const RangePair&) const = default;
};

/// Pairs of ranges that overlap and mean the same.
struct PairGroup {
  Impact impact;
  Role first = Role::Pods;
  Role second = Role::Pods;
  std::uint64_t pairs = 0;
  std::uint64_t owners = 0;       ///< Of how many, but for those that declare (Role::Declared).
  std::vector<RangePair> listed;  ///< Those asked about, and the first others in address order.
};

/// What joins those that are compared.
struct SearchScope {
  /// Of a domain, how two meet whose networks may be one.
  NetworkRelation if_same = NetworkRelation::OneNetwork;
  /// Of a connection: only pairs of different networks count, and they meet so.
  bool is_connection = false;
  effective::Provider provider{};  ///< Whose route controllers write.
  NetworkRelation connected = NetworkRelation::Connected;
};

/// All overlapping pairs by what they mean, counted exactly, in O(n log n + n·k) for k kinds of
/// ranges, however many pairs there are. Of each group at most `most_listed` pairs are listed, and
/// as many that are asked about; what weighs less than `least_listed` is only counted.
std::vector<PairGroup> search(std::span<const RangeEntry> entries, const SearchScope& scope,
                              std::size_t most_listed, Severity least_listed);

}  // namespace overlane::overlap
