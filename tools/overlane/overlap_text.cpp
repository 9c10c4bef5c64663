#include "tools/overlane/overlap_text.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/text.h"
#include "topologies/overlap/group_index.h"
#include "topologies/overlap/overlap_findings.h"

namespace overlane::command {
namespace {

using overlap::End;
using overlap::Group;
using overlap::Overlap;
using overlap::OverlapReport;
using overlap::RouteBudget;
using overlap::Urgency;
using report::count_text;
using report::kReportWidth;
using report::wrapped;

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count_text(static_cast<std::int64_t>(count)), what,
                     count == 1 ? "" : "s");
}

std::string_view urgency_text(Urgency urgency) {
  switch (urgency) {
    case Urgency::Now:
      return "now";
    case Urgency::Later:
      return "later";
    case Urgency::NotCreated:
      return "when created";
  }
  return "";
}

/// "garden-a/one", "pods of garden-a/one", as it stands in front of a range.
std::string owner_text(const End& end) {
  return fmt::format("{}{}{}", end.owner, end.created ? "" : " (not created yet)",
                     end.candidate ? " (candidate)" : "");
}

/// The two ranges, one below the other.
std::string pair_text(const Overlap& overlap, std::size_t owner_width) {
  std::string text;
  for (const End* end : {&overlap.a, &overlap.b}) {
    const std::string owner = owner_text(*end);
    std::string line = fmt::format("    {}{}  {:<9}  {:<18}  {}", owner,
                                   std::string(owner_width - report::display_width(owner), ' '),
                                   to_string(end->role), end->cidr.to_string(),
                                   end->assumed ? "assumed: " + end->path : end->place.to_string());
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  std::string remark = until_text(overlap);
  if (overlap.a.cidr != overlap.b.cidr)
    remark = fmt::format("both have {}{}{}", overlap.intersection.to_string(),
                         remark.empty() ? "" : "; ", remark);
  return remark.empty() ? text : text + wrapped("      ", remark, kReportWidth);
}

/// With what had to be supposed: the packet may be one of later.
std::string witness_text(const overlap::Witness& witness) {
  std::string text = fmt::format("{} ({}) sends to {}, meant for {}: lands at {}; {}",
                                 witness.sender, witness.source, witness.destination, witness.meant,
                                 witness.lands, witness.because);
  if (!witness.assumptions.empty())
    text += fmt::format(" (supposed: {})", fmt::join(witness.assumptions, "; "));
  return text;
}

std::string labelled(std::string_view label, std::string_view text) {
  return wrapped(fmt::format("    {:<13} ", label), text, kReportWidth);
}

class OverlapText {
 public:
  OverlapText(const OverlapReport& report, std::size_t most_pairs, report::Style style)
      : report_(report), most_pairs_(most_pairs), style_(style), overlaps_(report.groups.size()) {
    const overlap::GroupIndex index(report.groups);
    for (const Overlap& overlap : report.overlaps)
      if (const auto group = index.of(overlap)) overlaps_[*group].push_back(&overlap);
  }

  std::string print() {
    add_beginning();
    add_domains();
    add_plan();
    add_proposals();
    add_summary();
    return std::move(text_);
  }

 private:
  void heading(std::string_view text) {
    if (!text_.empty()) text_ += '\n';
    text_ += report::heading_text(text, style_) + '\n';
  }

  /// What can be read in ten seconds: where errors are, by their urgency.
  void add_beginning() {
    struct Row {
      Urgency urgency;
      std::string_view label;
    };
    constexpr Row kRows[] = {{Urgency::Now, "errors now"},
                             {Urgency::Later, "errors later"},
                             {Urgency::NotCreated, "do not apply"}};
    for (const Row& row : kRows) {
      std::vector<std::string> domains;
      std::map<std::string, std::uint64_t> counts;
      for (std::size_t i = 0; i < report_.groups.size(); ++i) {
        const Group& group = report_.groups[i];
        if (group.meaning.severity != Severity::Error || group.listed == 0) continue;
        for (const Overlap* overlap : overlaps_[i]) {
          if (overlap->urgency != row.urgency) continue;
          if (++counts[overlap->routing_domain] == 1) domains.push_back(overlap->routing_domain);
        }
        if (group.urgency == row.urgency && !overlaps_[i].empty())
          counts[overlaps_[i].front()->routing_domain] += group.pairs - group.listed;
      }
      for (std::string& domain : domains)
        domain += fmt::format(" ({})", count_text(static_cast<std::int64_t>(counts[domain])));
      if (!domains.empty())
        text_ += wrapped(fmt::format("{:<13} ", row.label),
                         fmt::format("{}", fmt::join(domains, ", ")), kReportWidth);
    }
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
      heading(domain.empty() ? "each shoot by itself" : domain);
      const auto doubt = report_.doubts.find(std::string(domain));
      if (doubt != report_.doubts.end()) text_ += wrapped("  ", doubt->second, kReportWidth);
      for (std::size_t i = 0; i < report_.groups.size(); ++i)
        if (report_.groups[i].routing_domain == domain && report_.groups[i].listed > 0)
          add_group(report_.groups[i], overlaps_[i]);
      for (const RouteBudget& budget : report_.budgets)
        if (budget.finding && budget.routing_domain == domain) add_budget(budget);
    }
  }

  void add_group(const Group& group, const std::vector<const Overlap*>& overlaps) {
    text_ += wrapped(
        fmt::format("  {}, {}: ", to_string(group.meaning.severity), urgency_text(group.urgency)),
        fmt::format("{}{}{} [{}]", overlap::fault(*group.meaning.rule),
                    group.meaning.sure ? "" : ", if they share a network or table", count_of(group),
                    group.meaning.rule->id),
        kReportWidth);
    const std::size_t shown = std::min(most_pairs_, overlaps.size());
    std::size_t width = 0;
    for (std::size_t i = 0; i < shown; ++i)
      for (const End* end : {&overlaps[i]->a, &overlaps[i]->b})
        width = std::max(width, report::display_width(owner_text(*end)));
    for (std::size_t i = 0; i < shown; ++i)
      text_ += pair_text(*overlaps[i], width);
    if (group.pairs > shown)
      text_ += fmt::format("    … and {}\n", counted(group.pairs - shown, "more pair"));
    const Overlap& first = *overlaps.front();
    text_ += labelled("what happens", (shown > 1 ? "of the first: " : "") + first.consequence);
    if (first.witness && first.witness->wrong)
      text_ += labelled("for example", witness_text(*first.witness));
    text_ += labelled("what to do", advice(group, first));
  }

  /// Where it is more than the pair below says.
  static std::string count_of(const Group& group) {
    if (group.pairs == 1) return "";
    return fmt::format(": {} among {}", counted(group.pairs, "pair"), group.shoots);
  }

  static std::string advice(const Group& group, const Overlap& first) {
    std::string text;
    for (const End* end : {&first.a, &first.b})
      if (!end->created && text.empty())
        text = fmt::format("change the manifest of {} before it is created; or else: ", end->shoot);
    return text + std::string(group.meaning.rule->remedy);
  }

  void add_budget(const RouteBudget& budget) {
    text_ += wrapped(fmt::format("  {}: ", to_string(budget.finding->severity)),
                     fmt::format("{} [{}]", budget.finding->message, budget.finding->rule),
                     kReportWidth);
    text_ += labelled("what to do", budget.finding->hint);
  }

  void add_plan() {
    if (!report_.plan) return;
    heading("the plan");
    if (report_.plan->empty()) {
      text_ += "  nothing has to change\n";
      return;
    }
    for (const overlap::PlanStep& step : *report_.plan) {
      text_ += wrapped("  ",
                       fmt::format("{} {} ({}), because of {}{}",
                                   step.created ? "re-create" : "change the manifest of", step.name,
                                   step.routing_domain, fmt::join(step.because, ", "),
                                   step.conflicts > step.because.size() ? " and others" : ""),
                       kReportWidth);
      for (const overlap::Change& change : step.changes)
        text_ +=
            fmt::format("    {:<8}  {} -> {}\n", to_string(change.role), change.from.to_string(),
                        change.to ? change.to->to_string() : "choose by hand");
    }
    const bool exact = std::ranges::all_of(*report_.plan, &overlap::PlanStep::exact);
    text_ += exact ? "  no smaller set of running shoots does\n"
                   : "  none of these can be left out; a smaller set may exist, as more than 20 "
                     "shoots are in conflict with each other\n";
  }

  void add_proposals() {
    if (report_.proposals.empty()) return;
    heading(fmt::format("free in {}", report_.proposals.front().routing_domain));
    for (const overlap::Proposal& proposal : report_.proposals)
      text_ += fmt::format("  pods {:<18}  services {:<18}  {} of /{}\n", proposal.pods.to_string(),
                           proposal.services ? proposal.services->to_string() : "none is free",
                           counted(static_cast<std::uint64_t>(proposal.max_nodes), "node"),
                           proposal.node_cidr_mask_size);
  }

  void add_summary() {
    if (!text_.empty()) text_ += '\n';
    const auto with_findings = [&](Severity severity) {
      return report_.count(severity) + static_cast<std::uint64_t>(std::ranges::count_if(
                                           report_.budgets, [&](const RouteBudget& budget) {
                                             return budget.finding &&
                                                    budget.finding->severity == severity;
                                           }));
    };
    const std::uint64_t errors = with_findings(Severity::Error);
    text_ += fmt::format("{} in {}: {}, {}", counted(report_.shoots, "shoot"),
                         counted(report_.domains, "network"), counted(errors, "error"),
                         counted(with_findings(Severity::Warning), "warning"));
    if (const std::uint64_t notes = report_.count(Severity::Note))
      text_ += fmt::format(", {}{}", counted(notes, "harmless overlap"),
                           report_.least > Severity::Note ? " (--notes shows them)" : "");
    if (report_.known)
      text_ += fmt::format("; {} known before {} left out", counted(*report_.known, "overlap"),
                           report_.known == 1u ? "is" : "are");
    text_ += '\n';
    if (errors > 0 && !report_.plan) text_ += "--plan names the fewest shoots to re-create\n";
  }

  const OverlapReport& report_;
  std::size_t most_pairs_;
  report::Style style_;
  std::vector<std::vector<const Overlap*>> overlaps_;  ///< Of groups.
  std::string text_;
};

}  // namespace

std::string overlap_text(const OverlapReport& report, std::size_t most_pairs, report::Style style) {
  return OverlapText(report, most_pairs, style).print();
}

}  // namespace overlane::command
