#include "topologies/overlap/remedy/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "topologies/overlap/inventory/cluster_nodes.h"
#include "topologies/overlap/remedy/plan_choice.h"
#include "topologies/overlap/remedy/plan_ranges.h"

namespace overlane::overlap {
namespace {

constexpr std::size_t kMaxNamed = 5;

/// What each step changes, and for whose sake.
void add_changes(const Conflicts& conflicts, std::vector<PlanStep>& steps) {
  std::map<std::uint32_t, PlanStep*> by_shoot;
  for (PlanStep& step : steps)
    by_shoot.emplace(step.shoot, &step);
  std::set<std::pair<std::uint32_t, std::string_view>> counted;
  for (const Conflicts::Involved& involved : conflicts.involved) {
    const auto found = by_shoot.find(involved.shoot);
    if (found == by_shoot.end()) continue;
    PlanStep& step = *found->second;
    const auto is_known = [&](const Change& change) {
      return change.role == involved.role && change.from == involved.cidr;
    };
    if (std::ranges::none_of(step.changes, is_known))
      step.changes.push_back({involved.role, involved.cidr, {}});
    if (!counted.emplace(involved.shoot, involved.other).second) continue;
    if (++step.conflicts <= kMaxNamed) step.because.push_back(involved.other);
  }
}

}  // namespace

std::vector<PlanStep> plan(const Comparison& comparison, const ConflictScope& scope) {
  const Inventory& inventory = comparison.inventory;
  const RoutingScopes& routing_scopes = comparison.routing_scopes;
  const Choice choice = choose_shoots(comparison, scope);
  std::vector<PlanStep> steps;
  for (std::uint32_t i = 0; i < inventory.shoots.size(); ++i)
    if (choice.shoots[i])
      steps.push_back(
          {.shoot = i,
           .name = inventory.shoots[i].name(),
           .routing_domain = routing_scopes.domains[routing_scopes.shoots[i].domain].key,
           .created = inventory.shoots[i].stage == effective::Stage::Live,
           .place = inventory.shoots[i].place,
           .nodes = nodes_of(inventory.shoots[i]),
           .exact = choice.exact[i]});
  const std::vector<bool> all(inventory.shoots.size(), true);
  add_changes(find_conflicts(comparison, all, scope), steps);
  propose_ranges(inventory, routing_scopes, steps);
  std::ranges::stable_sort(steps, {}, [](const PlanStep& step) {
    return std::pair(step.created, std::string_view(step.routing_domain));
  });
  return steps;
}

}  // namespace overlane::overlap
