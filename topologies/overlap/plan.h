#pragma once

#include <string>
#include <vector>

#include "topologies/overlap/free_ranges.h"
#include "topologies/overlap/scene.h"

namespace overlane::overlap {

/// A shoot to be re-created with other ranges: nobody can change them in place.
struct PlanStep {
  std::uint32_t shoot = 0;  ///< Of Inventory::shoots.
  std::string name;
  std::string routing_domain;
  std::vector<std::string> because;  ///< Whom it is in conflict with; the first few.
  std::uint64_t conflicts = 0;       ///< With how many.
  std::optional<Proposal> proposal;  ///< Nothing: there is no free range of that size.
  bool exact = true;                 ///< No smaller set of shoots does; else it was not looked for.
};

/// The shoots to re-create so that nothing that weighs at least `threshold` is left: as few as
/// possible among up to 20 shoots that are in conflict with each other, directly or not; among
/// more, a set of which none can be left out. Of as few, those with the fewest nodes.
std::vector<PlanStep> plan(const Inventory& inventory, const Positions& positions,
                           const std::vector<Scene>& scenes, Severity threshold);

}  // namespace overlane::overlap
