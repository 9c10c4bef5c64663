#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "topologies/overlap/pairs/search.h"

// The plan (`--plan`): the smallest set of shoots whose ranges have to change so that no conflict
// of the wanted severity remains, and free ranges for them. A shoot's ranges are immutable in
// Gardener, so a change of ranges requires a new shoot; a shoot that exists only as a manifest is
// cheaper to change and is chosen first. This is a minimum vertex cover (ranges/vertex_cover.h),
// solved exactly for up to 20 shoots that are in conflict directly or indirectly.

// The conflicts between shoots are a graph: an edge joins two shoots that cannot both keep their
// ranges. A plan removes shoots from this graph until no edge is left. A shoot that conflicts with
// itself or with an owner that is not a shoot always has to change. Large landscapes have more
// pairs than can be listed; then `complete` is false, and the caller searches again after its first
// choices.
namespace overlane::overlap {

/// Conflicts between shoots, by indices of Inventory::shoots.
struct Conflicts {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< Each once, the lower one first.
  std::vector<std::uint32_t>
      alone;  ///< Shoots in conflict with themselves or with an owner that is not a shoot.
  bool complete = true;  ///< False: there are more pairs.

  /// A range of a shoot that is part of a conflict, and the owner of the other range.
  struct Involved {
    std::uint32_t shoot = 0;
    Role role = Role::Pods;
    IpPrefix cidr;
    std::string other;

    auto operator<=>(const Involved&) const = default;
  };
  std::vector<Involved> involved;  ///< Each range and owner is listed once.
};

/// Selects the conflicts to find.
struct ConflictScope {
  Severity min_severity = Severity::Error;
  std::string domain;  ///< Key of the only domain to search; empty: all.
};

/// Conflicts among the shoots for which `takes_part` is set; it has an entry for each shoot of the
/// inventory.
Conflicts find_conflicts(const Comparison& comparison, const std::vector<bool>& takes_part,
                         const ConflictScope& scope);

/// A range that has to be replaced.
struct Change {
  Role role = Role::Pods;
  IpPrefix from;
  /// A free range of the same size, or a smaller one that suffices for the shoot's nodes; empty if
  /// no range is free, or if the range depends on the network (nodes, IPv6).
  std::optional<IpPrefix> to;
};

/// A shoot that needs other ranges. A running shoot is re-created, because its ranges are
/// immutable; if it exists only as a manifest, the manifest is changed.
struct PlanStep {
  std::uint32_t shoot = 0;  ///< Index of Inventory::shoots.
  std::string name;
  std::string routing_domain;
  bool created = true;
  SourceLocation place;    ///< Place of the manifest.
  std::int64_t nodes = 0;  ///< Minimum number of the shoot's nodes.
  std::vector<Change> changes;
  std::vector<std::string> because;  ///< The first few owners that it is in conflict with.
  std::uint64_t conflicts = 0;       ///< Number of owners that it is in conflict with.
  bool exact = true;                 ///< True if no smaller plan exists; false if that is not
                                     ///< known.
};

/// The shoots to change so that no conflict remains. Changes manifests before running shoots. Among
/// up to 20 shoots in conflict, directly or indirectly, changes as few running shoots as possible,
/// and of equal plans the one with the fewest nodes; among more shoots, the plan is minimal only in
/// that no shoot of it can be left out. New ranges are free, and each is proposed once in a network
/// and its connected networks.
std::vector<PlanStep> plan(const Comparison& comparison, const ConflictScope& scope);

}  // namespace overlane::overlap
