#include "tools/overlane/overlap/answer.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "tools/overlane/overlap/validation.h"
#include "topologies/overlap/compare/what_if.h"
#include "topologies/overlap/report/find.h"
#include "topologies/overlap/report/order.h"
#include "topologies/witness/overlap_witness.h"

namespace overlane::command {
namespace {

using overlap::OverlapReport;

bool concerns(const OverlapOptions& options, const std::string& domain) {
  return options.domain.empty() || options.domain == domain;
}

/// Of the domain that is asked for, or of all; what fails is shown.
OverlapReport find_in_domain(const OverlapOptions& options, const Compared& compared) {
  overlap::FindOptions find{.domain = options.domain, .threads = options.input.threads};
  if (options.notes || options.input.fail_on == Severity::Note) find.least = Severity::Note;
  OverlapReport report = overlap::find_overlaps(compared.inventory, compared.routing_scopes,
                                                compared.comparison_scopes, find);
  std::erase_if(report.budgets, [&](const overlap::RouteBudget& budget) {
    return !concerns(options, budget.routing_domain);
  });
  report.only_domain = options.domain;
  return report;
}

/// Over each connection that joins the domain, where there are any.
std::map<std::string, std::uint64_t> errors_over_connections(const std::string& domain,
                                                             const Compared& compared) {
  const auto is_in_it = [&](const overlap::Owner& owner) {
    return owner.shoot != nullptr &&
           compared.routing_scopes.domains[owner.routing_scope.domain].key == domain;
  };
  std::map<std::string, std::uint64_t> errors;
  for (const overlap::ComparisonScope& comparison_scope : compared.comparison_scopes) {
    if (!comparison_scope.scope.is_connection ||
        std::ranges::none_of(comparison_scope.owners, is_in_it))
      continue;
    for (const overlap::PairGroup& group :
         overlap::search(comparison_scope.entries, comparison_scope.scope, 0, Severity::Error))
      if (group.impact.severity == Severity::Error) errors[comparison_scope.key] += group.pairs;
  }
  return errors;
}

/// To what mends what comes, by the shoots that are asked about where it can be: what else a
/// landscape suffers from is not asked.
void narrow_plan(const OverlapOptions& options, const overlap::Inventory& inventory,
                 OverlapReport& report) {
  std::set<std::string_view> asked;  // That the plan changes.
  for (const overlap::PlanStep& step : *report.plan)
    if (inventory.shoots[step.shoot].asked_about) asked.insert(step.name);
  std::set<std::string_view> needed;
  for (const overlap::Overlap& overlap : report.overlaps) {
    if (overlap.impact.severity < options.input.fail_on) continue;
    const bool mends_a = asked.contains(overlap.a.shoot);
    const bool mends_b = asked.contains(overlap.b.shoot);
    if (mends_a || !mends_b) needed.insert(overlap.a.shoot);
    if (mends_b || !mends_a) needed.insert(overlap.b.shoot);
  }
  std::erase_if(*report.plan,
                [&](const overlap::PlanStep& step) { return !needed.contains(step.name); });
}

void add_plan(const OverlapOptions& options, const Compared& compared, OverlapReport& report) {
  report.plan =
      overlap::plan(compared.inventory, compared.routing_scopes, compared.comparison_scopes,
                    {.least = options.input.fail_on, .domain = options.domain});
  if (report.what_if) narrow_plan(options, compared.inventory, report);
  for (const overlap::RouteBudget& budget : report.budgets)
    if (budget.finding && budget.finding->severity >= options.input.fail_on)
      report.left_by_plan.push_back(*budget.finding);
}

void propose(const OverlapOptions& options, const Compared& compared, OverlapReport& report) {
  if (!options.wanted) return;
  const auto& [inventory, routing_scopes, comparison_scopes] = compared;
  const overlap::Domain* domain = domain_for_proposals(options, routing_scopes);
  const auto number = static_cast<std::uint32_t>(domain - routing_scopes.domains.data());
  report.proposals =
      overlap::FreeRanges(inventory, routing_scopes, number).propose(*options.wanted);
  if (report.proposals.size() < options.wanted->shoots)
    report.findings.push_back(
        {.rule = "no-free-range",
         .severity = Severity::Warning,
         .message = fmt::format("{}: only {} of {} ranges are free", domain->key,
                                report.proposals.size(), options.wanted->shoots),
         .hint = "ask for smaller ones, or name more space with --pools"});
}

/// Looked for no more than this many: each takes about a millisecond.
constexpr std::size_t kMostWitnesses = 200;

void add_witnesses(const overlap::LandscapeReader& reader, const overlap::Inventory& inventory,
                   OverlapReport& report) {
  const std::vector<overlap::Overlap*> overlaps = witness::to_be_witnessed(report, kMostWitnesses);
  std::set<std::string> names;
  for (const overlap::Overlap* overlap : overlaps)
    names.insert({overlap->a.shoot, overlap->b.shoot});
  std::vector<const overlap::Shoot*> shoots;
  for (const overlap::Shoot& shoot : inventory.shoots)
    if (names.contains(shoot.name())) shoots.push_back(&shoot);
  if (!shoots.empty()) witness::add_witnesses(overlaps, reader.derive(shoots));
}

}  // namespace

OverlapReport answer(const OverlapOptions& options, const overlap::LandscapeReader& reader,
                     const Compared& compared, const Compared* as_it_is,
                     const overlap::Baseline* baseline) {
  OverlapReport report = find_in_domain(options, compared);
  if (as_it_is != nullptr) {
    overlap::tell_changes(find_in_domain(options, *as_it_is), report);
    report.what_if->modes = options.assumed_modes;
    for (const overlap::Shoot& shoot : compared.inventory.shoots)
      if (shoot.candidate) report.what_if->applied.push_back(shoot.name());
  }
  if (baseline != nullptr) baseline->leave_out_known(report);
  if (as_it_is == nullptr && baseline == nullptr)
    report.errors_over = errors_over_connections(options.domain, compared);
  if (options.plan) add_plan(options, compared, report);
  propose(options, compared, report);
  if (as_it_is != nullptr || baseline != nullptr || options.plan) put_in_order(report);
  add_witnesses(reader, compared.inventory, report);
  return report;
}

}  // namespace overlane::command
