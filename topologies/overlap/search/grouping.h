#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "topologies/overlap/search/search.h"
#include "topologies/overlap/search/tally.h"

namespace overlane::overlap {

/// A relation of a search. Its pairs share the level `with` but not `without`.
struct RelationRow {
  Relation relation;
  Level with = Level::Scope;
  std::optional<Level> without;
  /// Entries with different known projects are in different networks.
  bool projects_count = false;

  /// Number of pairs, given the entries that share each level.
  std::int64_t pairs(const Counts& shared) const {
    std::int64_t pairs = at(shared, with);
    if (without) pairs -= at(shared, *without);
    if (projects_count && at(shared, Level::KnownProject) > 0)
      pairs -= at(shared, Level::KnownProject) - at(shared, Level::Network);
    return pairs;
  }
};

/// Determines the group of a pair from the classes of its ranges and its relation.
class Grouping {
 public:
  Grouping(std::span<const RangeEntry> entries, const SearchScope& scope);

  static constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

  /// Number of classes. Ranges of one class have the same impact on all others.
  std::size_t classes() const { return sides_.size(); }
  std::uint32_t class_of(std::uint32_t entry) const { return classes_[entry]; }
  const std::vector<RelationRow>& relations() const { return relations_; }
  /// An index of `groups()`, or kNoGroup if such pairs have no impact.
  std::uint32_t of(std::uint32_t a_class, std::uint32_t b_class, std::size_t relation) const {
    return group_of_[(a_class * sides_.size() + b_class) * relations_.size() + relation];
  }
  /// All possible groups, without pairs. Groups differ in impact and roles.
  const std::vector<PairGroup>& groups() const { return groups_; }

 private:
  std::uint32_t find_group(const Side& a, const Side& b, Relation relation,
                           effective::Provider provider);

  std::vector<RelationRow> relations_;
  std::vector<Side> sides_;              ///< By class.
  std::vector<std::uint32_t> classes_;   ///< By entry.
  std::vector<std::uint32_t> group_of_;  ///< By two classes and a relation.
  std::vector<PairGroup> groups_;
};

}  // namespace overlane::overlap
