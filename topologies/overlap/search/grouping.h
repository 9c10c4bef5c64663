#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "topologies/overlap/search/search.h"
#include "topologies/overlap/search/tally.h"

namespace overlane::overlap {

/// A relation that a search tells apart, and how many pairs of a claim stand in it: those who share
/// `with` without those who share `without`.
struct RelationRow {
  Relation relation;
  Level with = Level::Scope;
  std::optional<Level> without;
  /// Claims whose projects are both known and differ are in different networks.
  bool projects_count = false;

  /// Of the claims that share these levels with a claim.
  std::int64_t pairs(const Counts& shared) const {
    std::int64_t pairs = at(shared, with);
    if (without) pairs -= at(shared, *without);
    if (projects_count && at(shared, Level::KnownProject) > 0)
      pairs -= at(shared, Level::KnownProject) - at(shared, Level::Network);
    return pairs;
  }
};

/// Which group a pair counts in: by the classes of its two ranges, and by its relation.
class Grouping {
 public:
  Grouping(std::span<const RangeEntry> entries, const SearchScope& scope);

  static constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

  /// Classes have numbers below that; ranges of one class mean the same to all others.
  std::size_t classes() const { return sides_.size(); }
  std::uint32_t class_of(std::uint32_t entry) const { return classes_[entry]; }
  const std::vector<RelationRow>& relations() const { return relations_; }
  /// A number of `groups()`, or kNoGroup where such a pair means nothing.
  std::uint32_t of(std::uint32_t a_class, std::uint32_t b_class, std::size_t relation) const {
    return group_of_[(a_class * sides_.size() + b_class) * relations_.size() + relation];
  }
  /// All that can occur, still without pairs. Groups are told apart by what a reader sees: meaning
  /// and roles.
  const std::vector<PairGroup>& groups() const { return groups_; }

 private:
  std::uint32_t find_group(const Side& a, const Side& b, Relation relation,
                           effective::Provider provider);

  std::vector<RelationRow> relations_;
  std::vector<Side> sides_;              ///< Of classes.
  std::vector<std::uint32_t> classes_;   ///< Of claims.
  std::vector<std::uint32_t> group_of_;  ///< Of two classes and a relation.
  std::vector<PairGroup> groups_;
};

}  // namespace overlane::overlap
