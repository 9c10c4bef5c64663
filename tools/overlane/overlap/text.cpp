#include "tools/overlane/overlap/text.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/text.h"
#include "tools/overlane/overlap/pairs.h"
#include "tools/overlane/overlap/remedies.h"
#include "tools/overlane/overlap/summary.h"
#include "topologies/document/tree/text_check.h"
#include "topologies/overlap/report/advice.h"
#include "topologies/overlap/report/findings.h"
#include "topologies/overlap/report/group_index.h"

namespace overlane::command {
namespace {

using document::one_line;
using overlap::Group;
using overlap::Overlap;
using overlap::OverlapReport;
using overlap::RouteBudget;
using overlap::Urgency;
using overlap::WhatIf;

std::string_view urgency_text(Urgency urgency) {
  switch (urgency) {
    case Urgency::Now:
      return ", now";
    case Urgency::Later:
      return ", later";
    case Urgency::NotCreated:
      return ", once applied";
  }
  return "";
}

std::string witness_text(const overlap::Witness& witness) {
  const std::string end = witness.is_lost() ? "It is dropped" : "It reaches " + witness.lands;
  return fmt::format("{} ({}) sends to {}, meant for {}. {}: {}", witness.sender, witness.source,
                     witness.destination, witness.meant, end, witness.because);
}

std::string labelled(std::string_view label, std::string_view text) {
  return report::wrapped_line(fmt::format("    {:<13} ", label), text);
}

constexpr std::size_t kMinFindings = 1;  // Of each rule, about documents.

class OverlapText {
 public:
  OverlapText(const OverlapReport& report, const OverlapTextStyle& style)
      : report_(report), style_(style), overlaps_(report.groups.size()) {
    const overlap::GroupIndex index(report.groups);
    for (const Overlap& overlap : report.overlaps)
      if (const auto group = index.of(overlap)) overlaps_[*group].push_back(&overlap);
  }

  std::string print() {
    text_ = overlap_summary(report_);
    add_proposals();
    if (!style_.only_summary) {
      add_domains();
      add_gone();
    }
    add_plan();
    if (!style_.only_summary) add_documents();
    add_summary();
    return std::move(text_);
  }

 private:
  void heading(std::string_view text) {
    if (!text_.empty()) text_ += '\n';
    text_ += report::heading_text(one_line(text), style_.style) + '\n';
  }

  void add_domains() {
    std::vector<std::string_view> domains;
    const auto add = [&](std::string_view domain) {
      if (std::ranges::find(domains, domain) == domains.end()) domains.push_back(domain);
    };
    for (const Group& group : report_.groups)
      if (group.listed > 0) add(group.routing_domain);
    for (const RouteBudget& budget : report_.budgets)
      if (budget.finding) add(budget.routing_domain);
    for (const std::string_view domain : domains) {
      heading(domain.empty() ? "single shoots" : domain);
      const auto doubt = report_.uncertainties.find(std::string(domain));
      if (doubt != report_.uncertainties.end()) text_ += report::wrapped_line("  ", doubt->second);
      for (std::size_t i = 0; i < report_.groups.size(); ++i)
        if (report_.groups[i].routing_domain == domain && report_.groups[i].listed > 0)
          add_group(report_.groups[i], overlaps_[i]);
      for (const RouteBudget& budget : report_.budgets)
        if (budget.finding && budget.routing_domain == domain) add_budget(budget);
    }
  }

  void add_group(const Group& group, const std::vector<const Overlap*>& overlaps) {
    add_pairs(group, overlaps);
    const Overlap& first = *overlaps.front();
    const auto shown = std::span(overlaps).first(std::min(style_.most_pairs, overlaps.size()));
    const bool is_of_all = std::ranges::all_of(
        shown, [&](const Overlap* overlap) { return overlap->consequence == first.consequence; });
    text_ += labelled("impact", (is_of_all ? "" : "of the first overlap: ") + first.consequence);
    if (first.witness && first.witness->wrong) {
      text_ += labelled("example", witness_text(*first.witness));
      if (!first.witness->assumptions.empty())
        text_ +=
            labelled("assuming", fmt::format("{}", fmt::join(first.witness->assumptions, "; ")));
    }
    text_ += labelled("action", advice(first, group.shoots));
  }

  /// Adds the rule of a group and its pairs.
  void add_pairs(const Group& group, const std::vector<const Overlap*>& overlaps) {
    const bool is_harmless = group.impact.severity == Severity::Note;
    text_ += report::wrapped_line(
        fmt::format("  {}{}: ", to_string(group.impact.severity),
                    is_harmless ? "" : urgency_text(group.urgency)),
        fmt::format("{}{}{} [{}]", overlap::fault(*group.impact.rule),
                    group.impact.sure ? "" : ", if they share a network or table", count_of(group),
                    group.impact.rule->id));
    const std::size_t shown = std::min(style_.most_pairs, overlaps.size());
    text_ += pair_table(std::span(overlaps).first(shown));
    if (group.pairs > shown)
      text_ += report::wrapped_line("    … and ",
                                    report::counted_text(group.pairs - shown, "more pair") +
                                        (group.listed == group.pairs ? members(overlaps) : ""));
  }

  /// All shoots of these pairs; empty if they are too many.
  static std::string members(const std::vector<const Overlap*>& overlaps) {
    constexpr std::size_t kMostNames = 24;
    std::set<std::string_view> names;
    for (const Overlap* overlap : overlaps)
      for (const overlap::End* end : {&overlap->a, &overlap->b})
        if (names.size() <= kMostNames && !end->shoot.empty()) names.insert(end->shoot);
    return names.size() > kMostNames ? "" : fmt::format("; all shoots: {}", fmt::join(names, ", "));
  }

  /// Empty for one pair.
  static std::string count_of(const Group& group) {
    if (group.pairs == 1) return "";
    if (group.shoots == 0) return ": " + report::counted_text(group.pairs, "pair");
    return fmt::format(": {} of {}", report::counted_text(group.pairs, "pair"),
                       report::counted_text(group.shoots, "shoot"));
  }

  void add_budget(const RouteBudget& budget) {
    text_ +=
        report::wrapped_line(fmt::format("  {}: ", to_string(budget.finding->severity)),
                             fmt::format("{} [{}]", budget.finding->message, budget.finding->rule));
    text_ += labelled("action", budget.finding->hint);
  }

  /// Adds resolved overlaps, without actions.
  void add_gone() {
    if (!report_.what_if) return;
    const WhatIf& what_if = *report_.what_if;
    std::vector<std::vector<const Overlap*>> overlaps(what_if.gone_groups.size());
    const overlap::GroupIndex index(what_if.gone_groups);
    for (const Overlap& overlap : what_if.gone)
      if (const auto group = index.of(overlap)) overlaps[*group].push_back(&overlap);
    if (!what_if.gone_groups.empty() || !what_if.gone_findings.empty()) heading("resolved");
    for (std::size_t i = 0; i < overlaps.size(); ++i)
      if (!overlaps[i].empty()) add_pairs(what_if.gone_groups[i], overlaps[i]);
    for (const Finding& finding : what_if.gone_findings)
      text_ += report::wrapped_line(fmt::format("  {}: ", to_string(finding.severity)),
                                    fmt::format("{} [{}]", finding.message, finding.rule));
  }

  void add_plan() {
    if (!report_.plan) return;
    heading("plan");
    text_ += plan_text(report_);
  }

  /// Findings about the documents by rule, the worst first: of each rule as many as pairs of a
  /// group, and how many more there are.
  void add_documents() {
    std::vector<std::vector<const Finding*>> rules;
    std::map<std::string_view, std::size_t> numbers;
    for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note})
      for (const Finding& finding : report_.findings) {
        if (finding.severity != severity) continue;
        const auto [known, is_new] = numbers.emplace(finding.rule, rules.size());
        if (is_new) rules.emplace_back();
        rules[known->second].push_back(&finding);
      }
    if (rules.empty()) return;
    heading("documents");
    for (const std::vector<const Finding*>& findings : rules) {
      const std::size_t shown =
          std::min(std::max(style_.most_pairs, kMinFindings), findings.size());
      for (const Finding* finding : std::span(findings).first(shown)) {
        const std::string place = finding->place.to_string();
        text_ +=
            report::wrapped_line(fmt::format("  {}: ", to_string(finding->severity)),
                                 fmt::format("{} [{}]{}{}", finding->message, finding->rule,
                                             finding->hint.empty() ? "" : "; " + finding->hint,
                                             place.empty() ? "" : fmt::format(" ({})", place)));
      }
      if (findings.size() > shown)
        text_ +=
            fmt::format("    … and {} of this rule (--pairs N shows more)\n",
                        report::count_text(static_cast<std::int64_t>(findings.size() - shown)));
    }
  }

  /// Proposals come first, because they were requested.
  void add_proposals() {
    const std::string proposals = proposals_text(report_);
    if (proposals.empty()) return;
    heading(report_.proposals.empty()
                ? "free ranges"
                : fmt::format("free in {}", report_.proposals.front().routing_domain));
    text_ += proposals;
  }

  /// The same counts as in the summary of the JSON.
  void add_summary() {
    if (!text_.empty()) text_ += '\n';
    const auto total = [&](Severity severity) {
      return report_.count_with_budgets(severity) + about_documents(severity);
    };
    const std::uint64_t errors = total(Severity::Error);
    std::string text = fmt::format("{}{} {}, {}", scope_text(), report_.what_if ? "; new:" : ":",
                                   report::counted_text(errors, "error"),
                                   report::counted_text(total(Severity::Warning), "warning"));
    if (const std::uint64_t documents =
            about_documents(Severity::Error) + about_documents(Severity::Warning))
      text += fmt::format(" ({} about documents)", documents);
    if (const std::uint64_t notes = report_.count(Severity::Note))
      text += fmt::format(", {}{}", report::counted_text(notes, "harmless overlap"),
                          report_.least > Severity::Note ? " (--notes shows them)" : "");
    if (report_.known)
      text += fmt::format("; {} of the baseline {} not shown",
                          report::counted_text(*report_.known, "overlap"),
                          report_.known == 1u ? "is" : "are");
    text_ += report::wrapped_line("", text);
    for (const auto& [connection, count] : report_.errors_over)
      text_ += report::wrapped_line(
          "", fmt::format("{}, which joins it with other networks: {} "
                          "(--domain {} shows them)",
                          connection, report::counted_text(count, "error"), connection));
    if (report_.count(Severity::Error) > 0 && !report_.plan)
      text_ += "Run with --plan to list the shoots to change, with free ranges for them\n";
  }

  std::string scope_text() const {
    const std::string networks = report::counted_text(report_.domains, "network");
    return report_.only_domain.empty()
               ? fmt::format("{} in {}", report::counted_text(report_.shoots, "shoot"), networks)
               : fmt::format("{}, 1 of {}", report_.only_domain, networks);
  }

  /// Number of findings about documents.
  std::uint64_t about_documents(Severity severity) const {
    return static_cast<std::uint64_t>(
        std::ranges::count(report_.findings, severity, &Finding::severity));
  }

  const OverlapReport& report_;
  const OverlapTextStyle& style_;
  std::vector<std::vector<const Overlap*>> overlaps_;  ///< By group.
  std::string text_;
};

}  // namespace

std::string overlap_text(const OverlapReport& report, const OverlapTextStyle& style) {
  return OverlapText(report, style).print();
}

}  // namespace overlane::command
