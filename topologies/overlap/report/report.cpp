#include "topologies/overlap/report/report.h"

#include <algorithm>

#include "topologies/overlap/pairs/impact.h"

namespace overlane::overlap {

std::string_view End::mode() const {
  if (dataplane_mode == DataplaneMode::None) return "";
  return is_overlay(dataplane_mode) ? "overlay" : "routed";
}

bool Overlap::loses_routes() const {
  return impact.rule->id == kContested && deletes_routes_of_others(provider);
}

std::uint64_t Overlap::creations_until_impact() const {
  const std::uint64_t creations = creations_until_conflict.value_or(0);
  const auto by_waking =
      static_cast<std::uint64_t>(std::max(a.waking_nodes.value_or(0), b.waking_nodes.value_or(0)));
  return creations <= by_waking || loses_routes() ? 0 : creations;
}

std::string_view to_string(Urgency urgency) {
  switch (urgency) {
    case Urgency::Now:
      return "now";
    case Urgency::Later:
      return "later";
    case Urgency::NotCreated:
      return "not-created";
  }
  return "";
}

std::set<std::string> OverlapReport::applied_after_plan() const {
  std::set<std::string> waiting;
  if (!plan) return waiting;
  for (const Overlap& overlap : overlaps) {
    if (overlap.impact.severity != Severity::Error) continue;
    for (const End* end : {&overlap.a, &overlap.b})
      if (!end->shoot.empty() && !end->created) waiting.insert(end->shoot);
  }
  for (const PlanStep& step : *plan)
    waiting.erase(step.name);
  for (const RouteBudget& budget : budgets)
    for (const auto& manifest : budget.not_created)
      if (budget.finding && budget.finding->severity == Severity::Error)
        waiting.erase(manifest.shoot);
  return waiting;
}

Findings OverlapReport::all_findings() const {
  Findings all = findings;
  for (const RouteBudget& budget : budgets)
    if (budget.finding) all.push_back(*budget.finding);
  return all;
}

bool OverlapReport::any_at_or_above(Severity threshold) const {
  return overlane::any_at_or_above(all_findings(), threshold) ||
         std::ranges::any_of(
             groups, [&](const Group& group) { return group.impact.severity >= threshold; });
}

std::uint64_t OverlapReport::count(Severity severity) const {
  std::uint64_t pairs = 0;
  for (const Group& group : groups)
    if (group.impact.severity == severity) pairs += group.pairs;
  return pairs;
}

std::uint64_t OverlapReport::count_with_budgets(Severity severity) const {
  std::uint64_t all = count(severity);
  for (const RouteBudget& budget : budgets)
    all += budget.finding && budget.finding->severity == severity;
  return all;
}

std::uint64_t OverlapReport::count_shown() const {
  std::uint64_t pairs = 0;
  for (const Group& group : groups)
    if (group.impact.severity >= least) pairs += group.pairs;
  return pairs;
}

GroupIndex::GroupIndex(const std::vector<Group>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    groups_.emplace(Key(group.routing_domain, group.impact.rule->id, group.impact.severity,
                        group.kind, group.impact.sure),
                    i);
  }
}

std::optional<std::size_t> GroupIndex::of(const Overlap& overlap) const {
  const auto look = [&](std::string_view domain) {
    return groups_.find(Key(domain, overlap.impact.rule->id, overlap.impact.severity, overlap.kind,
                            overlap.impact.sure));
  };
  auto found = look(overlap.routing_domain);
  if (found == groups_.end()) found = look("");  // Groups of single shoots have no domain.
  return found == groups_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace overlane::overlap
