#include "scenarios/migration/inputs/neighbours.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "topologies/overlap/analyze/analyze.h"
#include "topologies/overlap/report/findings.h"

namespace overlane::migration {
namespace {

using overlap::Overlap;
using overlap::RouteBudget;

bool concerns(const Overlap& overlap, const std::string& shoot) {
  return overlap.a.shoot == shoot || overlap.b.shoot == shoot;
}

std::string blocker_of(const Overlap& overlap, const std::string& shoot) {
  const overlap::End& other = overlap.a.shoot == shoot ? overlap.b : overlap.a;
  return fmt::format("{} overlaps {} of {} ({}): {}", overlap.intersection.to_string(),
                     to_string(other.role), other.owner, overlap.impact.rule->id,
                     overlap.consequence);
}

}  // namespace

Neighbours neighbours(document::Stream documents, const derive::DeriveOptions& derive,
                      const effective::EffectiveDataplane& after) {
  Neighbours result;
  const std::string shoot = fmt::format("{}/{}", after.namespace_, after.name);
  overlap::Request request;
  request.landscapes.push_back({"", std::move(documents), {}});
  request.derive = derive;
  request.assumed_modes[shoot] = after.dataplane.mode;
  auto analysis = overlap::analyze(std::move(request));
  if (!analysis || analysis->report.shoots < 2) return result;
  overlap::OverlapReport& report = analysis->report;
  result.shoots = static_cast<std::uint32_t>(report.shoots - 1);
  for (const RouteBudget& budget : report.budgets) {
    if (budget.shoots.size() < 2 || std::ranges::find(budget.shoots, shoot) == budget.shoots.end())
      continue;
    const std::int64_t own =
        std::accumulate(after.workers.begin(), after.workers.end(), std::int64_t{0},
                        [](std::int64_t sum, const auto& pool) { return sum + pool.minimum; });
    const std::int64_t routes = budget.minimum - budget.others - own;
    result.routes =
        std::max(result.routes, static_cast<std::uint32_t>(std::max<std::int64_t>(routes, 0)));
  }
  std::erase_if(report.budgets, [&](const RouteBudget& budget) {
    return std::ranges::find(budget.shoots, shoot) == budget.shoots.end();
  });
  std::erase_if(report.overlaps, [&](const Overlap& one) { return !concerns(one, shoot); });
  for (const Overlap& one : report.overlaps)
    if (one.impact.severity == Severity::Error && one.urgency == overlap::Urgency::Now)
      result.blockers.push_back(blocker_of(one, shoot));
  std::erase_if(report.overlaps, [&](const Overlap& one) {
    return one.impact.severity == Severity::Error && one.urgency == overlap::Urgency::Now;
  });
  report.groups.clear();
  report.findings.clear();
  result.later = findings_of(report);
  // The verdict is about the migration; these come after it.
  for (Finding& finding : result.later)
    finding.severity = std::min(finding.severity, Severity::Warning);
  return result;
}

}  // namespace overlane::migration
