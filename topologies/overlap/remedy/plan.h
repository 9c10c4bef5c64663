#pragma once

#include <string>
#include <vector>

#include "topologies/overlap/remedy/conflicts.h"

namespace overlane::overlap {

/// A range that has to become another one.
struct Change {
  Role role = Role::Pods;
  IpPrefix from;
  /// A free one of that size, or where there is none a smaller one that holds the shoot's nodes;
  /// nothing where there is none either, or where it has to lie in a network whose ranges nobody
  /// gives (nodes, IPv6).
  std::optional<IpPrefix> to;
};

/// A shoot that has to get other ranges. Nobody can change those of a running one in place: it is
/// re-created; of one that exists only as a manifest the manifest is changed.
struct PlanStep {
  std::uint32_t shoot = 0;  ///< Of Inventory::shoots.
  std::string name;
  std::string routing_domain;
  bool created = true;
  SourceLocation place;    ///< Of the manifest.
  std::int64_t nodes = 0;  ///< That it has, at least.
  std::vector<Change> changes;
  std::vector<std::string> because;  ///< Whom it is in conflict with; the first few.
  std::uint64_t conflicts = 0;       ///< With how many.
  bool exact = true;                 ///< No smaller set of shoots does; else it was not looked for.
};

/// The shoots to change, manifests first, so that none of the overlaps that count is left: as few
/// running ones as possible among up to 20 that are in conflict with each other, directly or not;
/// among more, a set of which none can be left out. Of as few, those with the fewest nodes.
/// Manifests are changed before running shoots are touched. The ranges that they get are free, and
/// each is proposed once in a network and those that connections join with it.
std::vector<PlanStep> plan(const Comparison& comparison, const ConflictScope& scope);

}  // namespace overlane::overlap
