#include "topologies/overlap/report/what_if.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "topologies/overlap/report/baseline.h"

namespace overlane::overlap {

namespace {

/// Candidates belong to the landscape without a name; of shoots with equal names there, the file is
/// the landscape's name.
bool is_in_landscape_of_candidates(const Shoot& shoot) {
  return shoot.landscape.empty() || shoot.landscape == shoot.place.file.str();
}

/// Route tables whose quota is exceeded, by the shoots with routes there.
class ExceededQuotas {
 public:
  explicit ExceededQuotas(const std::vector<RouteBudget>& budgets) {
    for (const RouteBudget& budget : budgets)
      if (budget.finding)
        for (const std::string& shoot : budget.shoots)
          budgets_.emplace(shoot, &budget);
  }

  /// Whether one of these satisfies `condition` and has a shoot in common with `budget`.
  template <typename Condition>
  bool any_with_shoot_of(const RouteBudget& budget, Condition condition) const {
    return std::ranges::any_of(budget.shoots, [&](const std::string& shoot) {
      const auto found = budgets_.find(shoot);
      return found != budgets_.end() && condition(*found->second);
    });
  }

 private:
  std::unordered_map<std::string_view, const RouteBudget*> budgets_;
};

/// Findings about quotas that are exceeded now, and would not be any more.
Findings resolved_quotas(const OverlapReport& current, const OverlapReport& report) {
  const ExceededQuotas exceeded(report.budgets);
  Findings gone;
  for (const RouteBudget& before : current.budgets) {
    const auto is_as_severe = [&](const RouteBudget& now) {
      return now.finding->severity >= before.finding->severity;
    };
    if (before.finding && !exceeded.any_with_shoot_of(before, is_as_severe))
      gone.push_back(*before.finding);
  }
  return gone;
}

/// Leaves out quotas that were exceeded by at least as much before.
void leave_out_unchanged_quotas(const OverlapReport& current, OverlapReport& report) {
  const ExceededQuotas exceeded(current.budgets);
  for (RouteBudget& now : report.budgets) {
    const auto was_as_bad = [&](const RouteBudget& before) {
      return before.finding->severity >= now.finding->severity && before.excess() >= now.excess();
    };
    if (now.finding && exceeded.any_with_shoot_of(now, was_as_bad)) now.finding.reset();
  }
}

}  // namespace

void mark_asked_about(const std::map<std::string, effective::Mode>& modes, Inventory& current,
                      Inventory& what_if) {
  std::set<std::string> candidates;
  for (Shoot& shoot : what_if.shoots) {
    if (shoot.candidate) candidates.insert(shoot.object.qualified());
    shoot.asked_about = shoot.candidate || modes.contains(shoot.object.qualified());
  }
  const auto is_replaced = [&](const Shoot& shoot) {
    return candidates.contains(shoot.object.qualified()) && is_in_landscape_of_candidates(shoot);
  };
  std::erase_if(current.shoots, [&](const Shoot& shoot) {
    return is_replaced(shoot) && shoot.stage != effective::Stage::Live;
  });
  for (Shoot& shoot : current.shoots)
    shoot.asked_about = is_replaced(shoot) || modes.contains(shoot.object.qualified());
}

void report_changes(OverlapReport current, OverlapReport& report) {
  constexpr Severity kAll[] = {Severity::Note, Severity::Warning, Severity::Error};
  WhatIf what_if;
  for (const Severity severity : kAll)
    what_if.unchanged[static_cast<std::size_t>(severity)] = report.count_with_budgets(severity);
  const Baseline before(current);
  const Baseline after(report);
  what_if.gone_findings = resolved_quotas(current, report);
  leave_out_unchanged_quotas(current, report);
  after.leave_out_known(current);
  what_if.gone = std::move(current.overlaps);
  what_if.gone_groups = std::move(current.groups);
  Findings errors;
  for (const Finding& finding : report.findings)
    if (finding.severity == Severity::Error || !before.knows(finding)) errors.push_back(finding);
  std::vector<RouteBudget> budgets = std::move(report.budgets);  // Compared above.
  before.leave_out_known(report);
  report.budgets = std::move(budgets);
  report.findings = std::move(errors);
  report.known.reset();
  for (const Severity severity : kAll)
    what_if.unchanged[static_cast<std::size_t>(severity)] -= report.count_with_budgets(severity);
  report.what_if = std::move(what_if);
}

}  // namespace overlane::overlap
