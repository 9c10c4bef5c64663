#include "scenarios/migration/inputs/neighbours.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "topologies/overlap/analyze/analyze.h"
#include "topologies/overlap/report/report.h"

namespace overlane::migration {
namespace {

using overlap::Overlap;
using overlap::RouteBudget;

bool concerns(const Overlap& overlap, const std::string& shoot) {
  return overlap.a.shoot == shoot || overlap.b.shoot == shoot;
}

/// The Nodes of the shoot: each has one pod CIDR of a family.
std::uint32_t nodes_in(const overlap::Inventory& inventory, const std::string& name) {
  for (const overlap::Shoot& shoot : inventory.shoots)
    if (shoot.name() == name) {
      const auto ipv4 = std::ranges::count_if(shoot.pod_cidrs, &IpPrefix::is_ipv4);
      const auto all = static_cast<std::int64_t>(shoot.pod_cidrs.size());
      return static_cast<std::uint32_t>(std::max<std::int64_t>(ipv4, all - ipv4));
    }
  return 0;
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
  if (!analysis) return result;
  result.given_nodes = nodes_in(analysis->comparison.inventory, shoot);
  std::ranges::copy_if(analysis->comparison.inventory.findings, std::back_inserter(result.later),
                       [](const Finding& one) { return one.rule == "node-of-no-shoot"; });
  if (analysis->report.shoots < 2) return result;
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
  const Findings found = findings_of(report);
  result.later.insert(result.later.end(), found.begin(), found.end());
  // The verdict is about the migration; these come after it.
  for (Finding& finding : result.later)
    finding.severity = std::min(finding.severity, Severity::Warning);
  return result;
}

}  // namespace overlane::migration
