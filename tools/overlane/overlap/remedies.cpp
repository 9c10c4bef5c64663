#include "tools/overlane/overlap/remedies.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/text.h"
#include "tools/overlane/overlap/summary.h"

namespace overlane::command {
namespace {

using overlap::PlanStep;

std::string nodes_text(std::int64_t nodes) {
  return report::counted_text(static_cast<std::uint64_t>(nodes), "node");
}

std::string step_text(const PlanStep& step) {
  const std::string what =
      step.created
          ? fmt::format("re-create {} ({})", step.name, nodes_text(step.nodes))
          : fmt::format("change the manifest of {} ({})", step.name, step.place.to_string());
  std::string text = report::wrapped_line(
      "  ", fmt::format("{} in {}, because of {}{}", what, step.routing_domain,
                        fmt::join(step.because, ", "),
                        step.conflicts > step.because.size() ? " and others" : ""));
  for (const overlap::Change& change : step.changes)
    text += fmt::format("    {:<8}  {} -> {}{}\n", to_string(change.role), change.from.to_string(),
                        change.to ? change.to->to_string() : "choose manually",
                        change.to && change.to->length() > change.from.length()
                            ? " (no range of this size is free)"
                            : "");
  return text;
}

/// The cost of all steps, and whether a smaller plan may exist.
std::string cost_text(const std::vector<PlanStep>& plan, bool of_what_if) {
  std::uint64_t created = 0;
  std::int64_t nodes = 0;
  for (const PlanStep& step : plan) {
    if (!step.created) continue;
    ++created;
    nodes += step.nodes;
  }
  const std::uint64_t manifests = plan.size() - created;
  std::vector<std::string> parts;
  if (manifests > 0) parts.push_back(report::counted_text(manifests, "manifest") + " to change");
  if (created > 0)
    parts.push_back(fmt::format("{} of {} to re-create", report::counted_text(created, "shoot"),
                                nodes_text(nodes)));
  std::string text = fmt::format("{}", fmt::join(parts, ", "));
  if (!std::ranges::all_of(plan, &PlanStep::exact))
    text +=
        "; none of these can be left out, but a smaller plan may exist, because more than 20 "
        "shoots "
        "are in conflict with each other";
  else if (created > 0 && !of_what_if)
    text += "; no smaller set of running shoots is enough";
  return report::wrapped_line("  ", text);
}

}  // namespace

std::string plan_text(const overlap::OverlapReport& report) {
  std::string text;
  for (const PlanStep& step : *report.plan)
    text += step_text(step);
  for (const std::string& shoot : report.applied_after_plan())
    text += report::wrapped_line(
        "  ",
        fmt::format("then apply {} without a change: these steps resolve its conflicts", shoot));
  if (!report.plan->empty())
    text += cost_text(*report.plan, report.what_if.has_value());
  else if (report.left_by_plan.empty())
    text += "  no change needed\n";
  else
    text += "  no shoot needs other ranges\n";
  for (const Finding& finding : report.left_by_plan)
    text += report::wrapped_line("  left: ", finding.message);
  return text;
}

std::string proposals_text(const overlap::OverlapReport& report) {
  std::string text;
  for (const overlap::Proposal& proposal : report.proposals)
    text += fmt::format("  pods {:<18}  services {:<18}  {} of /{}\n", proposal.pods.to_string(),
                        proposal.services ? proposal.services->to_string() : "none free",
                        nodes_text(proposal.max_nodes), proposal.node_cidr_mask_size);
  for (const Finding& finding : report.findings)
    if (finding.rule == "no-free-range")
      text += report::wrapped_line("  ", fmt::format("{}: {}", finding.message, finding.hint));
  return text;
}

}  // namespace overlane::command
