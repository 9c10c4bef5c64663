#include "topologies/overlap/what_if.h"

#include <algorithm>
#include <set>
#include <utility>

#include "topologies/overlap/baseline.h"

namespace overlane::overlap {
namespace {

/// Candidates are of the landscape without a name. Shoots that are given twice have their files'.
bool is_of_candidates_landscape(const Shoot& shoot) {
  return shoot.landscape.empty() || shoot.landscape == shoot.place.file.str();
}

/// Budgets of the landscape as it is that were exceeded and are no more.
Findings mended(const OverlapReport& as_it_is, const OverlapReport& report) {
  Findings gone;
  for (const RouteBudget& before : as_it_is.budgets) {
    if (!before.finding) continue;
    const auto stays = [&](const RouteBudget& now) {
      return now.finding && now.finding->severity >= before.finding->severity &&
             now.routing_domain == before.routing_domain && now.holder == before.holder;
    };
    if (std::ranges::none_of(report.budgets, stays)) gone.push_back(*before.finding);
  }
  return gone;
}

}  // namespace

void mark_asked_about(const std::map<std::string, effective::Mode>& modes, Inventory& as_it_is,
                      Inventory& as_it_would_be) {
  std::set<std::string> candidates;
  for (Shoot& shoot : as_it_would_be.shoots) {
    if (shoot.candidate) candidates.insert(shoot.object.qualified());
    shoot.asked_about = shoot.candidate || modes.contains(shoot.object.qualified());
  }
  const auto is_replaced = [&](const Shoot& shoot) {
    return candidates.contains(shoot.object.qualified()) && is_of_candidates_landscape(shoot);
  };
  std::erase_if(as_it_is.shoots, [&](const Shoot& shoot) {
    return is_replaced(shoot) && shoot.stage != effective::Stage::Live;
  });
  for (Shoot& shoot : as_it_is.shoots)
    shoot.asked_about = is_replaced(shoot) || modes.contains(shoot.object.qualified());
}

void tell_changes(OverlapReport as_it_is, OverlapReport& report) {
  constexpr Severity kAll[] = {Severity::Note, Severity::Warning, Severity::Error};
  WhatIf what_if;
  for (const Severity severity : kAll)
    what_if.unchanged[static_cast<std::size_t>(severity)] = report.count_with_budgets(severity);
  const Baseline before(as_it_is);
  const Baseline after(report);
  what_if.gone_findings = mended(as_it_is, report);
  after.leave_out_known(as_it_is);
  what_if.gone = std::move(as_it_is.overlaps);
  what_if.gone_groups = std::move(as_it_is.groups);
  Findings errors;
  for (const Finding& finding : report.findings)
    if (finding.severity == Severity::Error || !before.knows(finding)) errors.push_back(finding);
  before.leave_out_known(report);
  report.findings = std::move(errors);
  report.known.reset();
  for (const Severity severity : kAll)
    what_if.unchanged[static_cast<std::size_t>(severity)] -= report.count_with_budgets(severity);
  report.what_if = std::move(what_if);
}

}  // namespace overlane::overlap
