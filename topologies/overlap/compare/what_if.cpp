#include "topologies/overlap/compare/what_if.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "topologies/overlap/compare/baseline.h"

namespace overlane::overlap {
namespace {

/// Candidates are of the landscape without a name. Shoots that are given twice have their files'.
bool is_of_candidates_landscape(const Shoot& shoot) {
  return shoot.landscape.empty() || shoot.landscape == shoot.place.file.str();
}

/// Lists of routes that are too small, by each shoot that has its routes there.
class SmallLists {
 public:
  explicit SmallLists(const std::vector<RouteBudget>& budgets) {
    for (const RouteBudget& budget : budgets)
      if (budget.finding)
        for (const std::string& shoot : budget.shoots)
          lists_.emplace(shoot, &budget);
  }

  /// Whether a shoot of that list has its routes in one of these of which `is_so` holds.
  template <typename IsSo>
  bool any_with(const RouteBudget& list, IsSo is_so) const {
    return std::ranges::any_of(list.shoots, [&](const std::string& shoot) {
      const auto found = lists_.find(shoot);
      return found != lists_.end() && is_so(*found->second);
    });
  }

 private:
  std::unordered_map<std::string_view, const RouteBudget*> lists_;
};

/// About lists of the landscape as it is that were too small and are no more.
Findings mended(const OverlapReport& as_it_is, const OverlapReport& report) {
  const SmallLists lists(report.budgets);
  Findings gone;
  for (const RouteBudget& before : as_it_is.budgets) {
    const auto weighs_so = [&](const RouteBudget& now) {
      return now.finding->severity >= before.finding->severity;
    };
    if (before.finding && !lists.any_with(before, weighs_so)) gone.push_back(*before.finding);
  }
  return gone;
}

/// Lists that were no larger before beside what has to stand there.
void leave_out_no_worse(const OverlapReport& as_it_is, OverlapReport& report) {
  const SmallLists lists(as_it_is.budgets);
  for (RouteBudget& now : report.budgets) {
    const auto was_so = [&](const RouteBudget& before) {
      return before.finding->severity >= now.finding->severity && before.lack() >= now.lack();
    };
    if (now.finding && lists.any_with(now, was_so)) now.finding.reset();
  }
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
  leave_out_no_worse(as_it_is, report);
  after.leave_out_known(as_it_is);
  what_if.gone = std::move(as_it_is.overlaps);
  what_if.gone_groups = std::move(as_it_is.groups);
  Findings errors;
  for (const Finding& finding : report.findings)
    if (finding.severity == Severity::Error || !before.knows(finding)) errors.push_back(finding);
  std::vector<RouteBudget> budgets = std::move(report.budgets);  // Whose numbers count here.
  before.leave_out_known(report);
  report.budgets = std::move(budgets);
  report.findings = std::move(errors);
  report.known.reset();
  for (const Severity severity : kAll)
    what_if.unchanged[static_cast<std::size_t>(severity)] -= report.count_with_budgets(severity);
  report.what_if = std::move(what_if);
}

}  // namespace overlane::overlap
