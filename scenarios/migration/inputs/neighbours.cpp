#include "scenarios/migration/inputs/neighbours.h"

#include <algorithm>
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
  std::erase_if(report.budgets, [&](const RouteBudget& budget) {
    return std::ranges::find(budget.shoots, shoot) == budget.shoots.end();
  });
  for (const RouteBudget& budget : report.budgets) {
    if (budget.shoots.size() < 2) continue;
    const std::int64_t routes = budget.minimum - budget.others - after.minimum_nodes();
    result.routes =
        std::max(result.routes, static_cast<std::uint32_t>(std::max<std::int64_t>(routes, 0)));
  }
  std::erase_if(report.overlaps, [&](const Overlap& one) {
    if (!concerns(one, shoot)) return true;
    const bool is_blocker =
        one.impact.severity == Severity::Error && one.urgency == overlap::Urgency::Now;
    if (is_blocker) result.blockers.push_back(blocker_of(one, shoot));
    return is_blocker;
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
