#include "topologies/overlap/report/overlap_document.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/text.h"
#include "topologies/overlap/report/report.h"
#include "topologies/overlap/report/summary.h"

namespace overlane::overlap {
namespace {

using answer::Detail;
using answer::Facts;
using answer::List;
using answer::Paragraph;
using answer::Section;
using answer::Tone;
using report::counted_text;

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

/// "garden-a/one (not created yet)".
std::string owner_text(const End& end) {
  return end.owner + (end.candidate ? " (candidate)" : end.created ? "" : " (not created yet)");
}

std::string place_text(const End& end) {
  if (end.assumed) return "assumed: " + end.path;
  const std::string place = end.place.to_string();
  return place.empty() ? "in no document" : place;  // A range of a cloud or of Gardener.
}

/// The heading of a domain; an empty domain stands for overlaps within single shoots.
std::string name_of(std::string_view domain) {
  if (domain.empty()) return "single shoots";
  return fmt::format("{} {}", domain.starts_with("connection/") ? "over" : "network", domain);
}

std::string witness_text(const ReportedWitness& witness) {
  const std::string end = witness.is_lost() ? "It is dropped" : "It reaches " + witness.lands;
  return fmt::format("{} ({}) sends to {}, meant for {}. {}: {}", witness.sender, witness.source,
                     witness.destination, witness.meant, end, witness.because);
}

std::string nodes_text(std::int64_t nodes) {
  return counted_text(static_cast<std::uint64_t>(nodes), "node");
}

void add_witness(const ReportedWitness& witness, Facts& facts) {
  facts.facts.push_back({"example", witness_text(witness)});
  if (!witness.assumptions.empty())
    facts.facts.push_back({"assuming", fmt::format("{}", fmt::join(witness.assumptions, "; "))});
}

using Pairs = std::vector<const Overlap*>;

/// A table with two rows for each pair: owner, role, range and the place that sets the range.
answer::Table pair_table(std::span<const Overlap* const> pairs) {
  answer::Table table{
      .title = "ranges of",
      .columns = {{.name = "role", .align = answer::Align::Left},
                  {.name = "range", .align = answer::Align::Left},
                  {.name = "place", .align = answer::Align::Left, .may_leave = true}},
      .rows = {}};
  for (const Overlap* pair : pairs) {
    for (const End* end : {&pair->a, &pair->b})
      table.rows.push_back({.label = (end == &pair->a ? "  " : "× ") + owner_text(*end),
                            .cells = {{.text = std::string(to_string(end->role))},
                                      {.text = end->cidr.to_string()},
                                      {.text = place_text(*end)}},
                            .explanation = ""});
    std::string& remark = table.rows.back().explanation;
    remark = until_text(*pair);
    if (pair->a.cidr != pair->b.cidr)
      remark = fmt::format("overlap {}{}{}", pair->intersection.to_string(),
                           remark.empty() ? "" : "; ", remark);
  }
  return table;
}

/// ": 2 pairs of 3 shoots"; empty for one pair.
std::string count_of(const Group& group) {
  if (group.pairs == 1) return "";
  if (group.shoots == 0) return ": " + counted_text(group.pairs, "pair");
  return fmt::format(": {} of {}", counted_text(group.pairs, "pair"),
                     counted_text(group.shoots, "shoot"));
}

/// All shoots of these pairs; empty if there are too many.
std::string members(const Pairs& overlaps) {
  constexpr std::size_t kMaxNames = 24;
  std::set<std::string_view> names;
  for (const Overlap* overlap : overlaps)
    for (const End* end : {&overlap->a, &overlap->b})
      if (names.size() <= kMaxNames && !end->shoot.empty()) names.insert(end->shoot);
  return names.size() > kMaxNames ? "" : fmt::format("; all shoots: {}", fmt::join(names, ", "));
}

/// The overlaps of each group.
std::vector<Pairs> by_group(const std::vector<Group>& groups,
                            const std::vector<Overlap>& overlaps) {
  std::vector<Pairs> pairs(groups.size());
  const GroupIndex index(groups);
  for (const Overlap& overlap : overlaps)
    if (const auto group = index.of(overlap)) pairs[*group].push_back(&overlap);
  return pairs;
}

class OverlapDocument {
 public:
  OverlapDocument(const OverlapReport& report, const OverlapDocumentOptions& options)
      : report_(report), options_(options), overlaps_(by_group(report.groups, report.overlaps)) {}

  answer::Document build() {
    document_.title = report_.only_domain.empty()
                          ? "Overlaps of " + counted_text(report_.shoots, "shoot")
                          : "Overlaps in " + report_.only_domain;
    add("").blocks.emplace_back(Paragraph{headline_tone(report_), "result", headline(report_)});
    document_.overview = overview();
    if (report_.what_if) add_what_if(*report_.what_if);
    for (Section& section : network_errors(report_))
      document_.sections.push_back(std::move(section));
    add_proposals();
    add_domains();
    add_gone();
    add_plan();
    add_documents();
    add_counts();
    std::erase_if(document_.sections, [](const Section& one) { return one.blocks.empty(); });
    return std::move(document_);
  }

 private:
  Section& add(std::string heading, Detail detail = Detail::Always) {
    return document_.sections.emplace_back(
        Section{.heading = std::move(heading), .blocks = {}, .detail = detail});
  }

  Detail detail() const { return options_.only_summary ? Detail::PageOnly : Detail::Always; }

  /// Whether admission rejects the change of the shoot.
  bool is_refused(const std::string& shoot) const {
    return std::ranges::any_of(report_.findings, [&](const Finding& finding) {
      return finding.rule == "not-admitted" && finding.object.qualified() == shoot;
    });
  }

  void add_what_if(const WhatIf& what_if) {
    List asked;
    for (const std::string& shoot : what_if.applied)
      asked.items.push_back(
          shoot + (is_refused(shoot) ? " is re-created (an update is refused)" : " is applied"));
    for (const auto& [shoot, mode] : what_if.modes)
      asked.items.push_back(fmt::format(
          "{} {}{}", shoot, mode == effective::Mode::Routed ? "is routed" : "has an overlay",
          is_refused(shoot) ? " (refused)" : ""));
    std::array<std::uint64_t, 3> added{};
    std::array<std::uint64_t, 3> resolved{};
    for (const Severity severity : {Severity::Note, Severity::Warning, Severity::Error})
      added[static_cast<std::size_t>(severity)] = report_.count_with_budgets(severity);
    for (const Group& group : what_if.gone_groups)
      resolved[static_cast<std::size_t>(group.impact.severity)] += group.pairs;
    for (const Finding& finding : what_if.gone_findings)
      ++resolved[static_cast<std::size_t>(finding.severity)];
    const std::string stays = counts_text(what_if.unchanged);
    Section& section = add("what if");
    section.blocks.emplace_back(std::move(asked));
    section.blocks.emplace_back(Facts{
        {{"new", counts_text(added)},
         {"resolved", counts_text(resolved)},
         {"unchanged", stays + (stays == kNothing ? "" : ", shown without --with and --assume")}}});
  }

  std::string counts_text(const std::array<std::uint64_t, 3>& counts) const {
    std::vector<std::string> parts;
    const auto add = [&](Severity severity, std::string_view what) {
      if (const std::uint64_t count = counts[static_cast<std::size_t>(severity)])
        parts.push_back(counted_text(count, what));
    };
    add(Severity::Error, "error");
    add(Severity::Warning, "warning");
    if (report_.min_severity == Severity::Note) add(Severity::Note, "harmless overlap");
    return parts.empty() ? std::string(kNothing) : fmt::format("{}", fmt::join(parts, ", "));
  }

  /// Proposals come before the networks, because they were requested.
  void add_proposals() {
    Section section{.heading = report_.proposals.empty()
                                   ? "free ranges"
                                   : "free in " + report_.proposals.front().routing_domain,
                    .blocks = {}};
    answer::Verbatim lines;
    for (const Proposal& proposal : report_.proposals)
      lines.lines.push_back(
          fmt::format("  pods {:<18}  services {:<18}  {} of /{}", proposal.pods.to_string(),
                      proposal.services ? proposal.services->to_string() : "none free",
                      nodes_text(proposal.max_nodes), proposal.node_cidr_mask_size));
    if (!lines.lines.empty()) section.blocks.emplace_back(std::move(lines));
    List missing;
    for (const Finding& finding : report_.findings)
      if (finding.rule == "no-free-range")
        missing.items.push_back(fmt::format("{}: {}", finding.message, finding.hint));
    if (!missing.items.empty()) section.blocks.emplace_back(std::move(missing));
    document_.sections.push_back(std::move(section));
  }

  void add_domains() {
    std::vector<std::string_view> domains;
    const auto add_domain = [&](std::string_view domain) {
      if (std::ranges::find(domains, domain) == domains.end()) domains.push_back(domain);
    };
    for (const Group& group : report_.groups)
      if (group.listed > 0) add_domain(group.routing_domain);
    for (const RouteBudget& budget : report_.budgets)
      if (budget.finding) add_domain(budget.routing_domain);
    for (const std::string_view domain : domains)
      add_domain_sections(domain);
  }

  void add_domain_sections(std::string_view domain) {
    // One section for each group, because blank lines divide sections; a folded section has all
    // groups.
    std::vector<Section> sections{{.heading = name_of(domain), .blocks = {}, .detail = detail()}};
    bool has_group = false;
    const auto next = [&]() -> Section& {
      if (std::exchange(has_group, true) && detail() == Detail::Always)
        sections.push_back({.heading = "", .blocks = {}});
      return sections.back();
    };
    Section pairs{.heading = "every pair: " + name_of(domain),
                  .blocks = {},
                  .detail = std::max(detail(), Detail::OnRequest)};
    if (const auto doubt = report_.uncertainties.find(std::string(domain));
        doubt != report_.uncertainties.end())
      sections.front().blocks.emplace_back(List{{doubt->second}});
    for (std::size_t i = 0; i < report_.groups.size(); ++i) {
      const Group& group = report_.groups[i];
      if (group.routing_domain != domain || group.listed == 0) continue;
      add_group(group, overlaps_[i], next());
      add_each(group, overlaps_[i], pairs);
    }
    for (const RouteBudget& budget : report_.budgets)
      if (budget.finding && budget.routing_domain == domain)
        next().blocks.emplace_back(answer::remark(*budget.finding));
    std::ranges::move(sections, std::back_inserter(document_.sections));
    document_.sections.push_back(std::move(pairs));
  }

  std::span<const Overlap* const> shown(const Pairs& overlaps) const {
    return std::span(overlaps).first(std::min(options_.most_pairs, overlaps.size()));
  }

  void add_group(const Group& group, const Pairs& overlaps, Section& section) const {
    add_pairs(group, overlaps, section);
    const Overlap& first = *overlaps.front();
    const bool is_of_all = std::ranges::all_of(shown(overlaps), [&](const Overlap* overlap) {
      return overlap->consequence == first.consequence;
    });
    Facts facts{{{"impact", (is_of_all ? "" : "of the first overlap: ") + first.consequence}}};
    if (first.witness && first.witness->wrong) add_witness(*first.witness, facts);
    facts.facts.push_back({"action", advice(first, group.shoots)});
    section.blocks.emplace_back(std::move(facts));
  }

  /// Adds the rule of a group and its pairs.
  void add_pairs(const Group& group, const Pairs& overlaps, Section& section) const {
    const Severity severity = group.impact.severity;
    section.blocks.emplace_back(Paragraph{
        .tone = answer::tone_of(severity),
        .label = fmt::format("{}{}", to_string(severity),
                             severity == Severity::Note ? "" : urgency_text(group.urgency)),
        .text = fmt::format("{}{}{} [{}]", fault(*group.impact.rule),
                            group.impact.sure ? "" : ", if they share a network or table",
                            count_of(group), group.impact.rule->id)});
    section.blocks.emplace_back(pair_table(shown(overlaps)));
    if (const std::size_t number = shown(overlaps).size(); group.pairs > number)
      section.blocks.emplace_back(
          List{{fmt::format("… and {}{}", counted_text(group.pairs - number, "more pair"),
                            group.listed == group.pairs ? members(overlaps) : "")}});
  }

  /// Adds impact, packet and action of each pair, unless they are those of the group.
  void add_each(const Group& group, const Pairs& overlaps, Section& section) const {
    const Overlap& first = *overlaps.front();
    const bool has_hidden_packet = first.witness && !first.witness->wrong;
    if (overlaps.size() == 1 && group.shoots <= 2 && !has_hidden_packet) return;
    for (const Overlap* pair : shown(overlaps)) {
      section.blocks.emplace_back(Paragraph{
          .tone = answer::tone_of(pair->impact.severity),
          .label = fmt::format(
              "{}{}", to_string(pair->impact.severity),
              pair->impact.severity == Severity::Note ? "" : urgency_text(pair->urgency)),
          .text =
              fmt::format("{} {} {} × {} {} {} [{}]", owner_text(pair->a), to_string(pair->a.role),
                          pair->a.cidr.to_string(), owner_text(pair->b), to_string(pair->b.role),
                          pair->b.cidr.to_string(), pair->impact.rule->id)});
      Facts facts{{{"impact", pair->consequence}}};
      if (pair->witness) add_witness(*pair->witness, facts);
      facts.facts.push_back({"action", advice(*pair)});
      section.blocks.emplace_back(std::move(facts));
    }
  }

  /// Adds resolved overlaps, without actions.
  void add_gone() {
    if (!report_.what_if) return;
    const WhatIf& what_if = *report_.what_if;
    const std::vector<Pairs> overlaps = by_group(what_if.gone_groups, what_if.gone);
    Section& section = add("resolved", detail());
    for (std::size_t i = 0; i < overlaps.size(); ++i)
      if (!overlaps[i].empty()) add_pairs(what_if.gone_groups[i], overlaps[i], section);
    for (const Finding& finding : what_if.gone_findings)
      section.blocks.emplace_back(Paragraph{answer::tone_of(finding.severity),
                                            std::string(to_string(finding.severity)),
                                            fmt::format("{} [{}]", finding.message, finding.rule)});
  }

  void add_plan() {
    if (!report_.plan) return;
    Section& section = add("plan");
    for (const PlanStep& step : *report_.plan)
      add_step(step, section);
    List rest;
    for (const std::string& shoot : report_.applied_after_plan())
      rest.items.push_back(
          fmt::format("then apply {} without a change: these steps resolve its conflicts", shoot));
    rest.items.push_back(!report_.plan->empty()         ? cost_text()
                         : report_.left_by_plan.empty() ? "no change needed"
                                                        : "no shoot needs other ranges");
    for (const Finding& finding : report_.left_by_plan)
      rest.items.push_back("left: " + finding.message);
    section.blocks.emplace_back(std::move(rest));
  }

  static void add_step(const PlanStep& step, Section& section) {
    const std::string what =
        step.created
            ? fmt::format("re-create {} ({})", step.name, nodes_text(step.nodes))
            : fmt::format("change the manifest of {} ({})", step.name, step.place.to_string());
    section.blocks.emplace_back(List{{fmt::format(
        "{} in {}, because of {}{}", what, step.routing_domain, fmt::join(step.because, ", "),
        step.conflicts > step.because.size() ? " and others" : "")}});
    answer::Verbatim changes;
    for (const Change& change : step.changes)
      changes.lines.push_back(fmt::format("    {:<8}  {} -> {}{}", to_string(change.role),
                                          change.from.to_string(),
                                          change.to ? change.to->to_string() : "choose manually",
                                          change.to && change.to->length() > change.from.length()
                                              ? " (no range of this size is free)"
                                              : ""));
    if (!changes.lines.empty()) section.blocks.emplace_back(std::move(changes));
  }

  /// The cost of all steps, and whether a smaller plan may exist.
  std::string cost_text() const {
    std::uint64_t created = 0;
    std::int64_t nodes = 0;
    for (const PlanStep& step : *report_.plan) {
      if (!step.created) continue;
      ++created;
      nodes += step.nodes;
    }
    const std::uint64_t manifests = report_.plan->size() - created;
    std::vector<std::string> parts;
    if (manifests > 0) parts.push_back(counted_text(manifests, "manifest") + " to change");
    if (created > 0)
      parts.push_back(
          fmt::format("{} of {} to re-create", counted_text(created, "shoot"), nodes_text(nodes)));
    std::string text = fmt::format("{}", fmt::join(parts, ", "));
    if (!std::ranges::all_of(*report_.plan, &PlanStep::exact))
      text +=
          "; none of these can be left out, but a smaller plan may exist, because more than 20 "
          "shoots are in conflict with each other";
    else if (created > 0 && !report_.what_if)
      text += "; no smaller set of running shoots is enough";
    return text;
  }

  /// Adds findings about the documents by rule, the most severe first: for each rule as many as
  /// pairs of a group, and the number of further ones.
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
    Section& section = add("documents", detail());
    for (const std::vector<const Finding*>& findings : rules) {
      const std::size_t number =
          std::min(std::max<std::size_t>(options_.most_pairs, 1), findings.size());
      for (const Finding* finding : std::span(findings).first(number))
        section.blocks.emplace_back(answer::remark(*finding));
      if (findings.size() > number)
        section.blocks.emplace_back(List{{fmt::format(
            "… and {} of this rule (--pairs N shows more)",
            report::count_text(static_cast<std::int64_t>(findings.size() - number)))}});
    }
  }

  /// Number of findings about documents.
  std::uint64_t about_documents(Severity severity) const {
    return static_cast<std::uint64_t>(
        std::ranges::count(report_.findings, severity, &Finding::severity));
  }

  /// Adds the counts of the JSON's summary, at the end, where a terminal stops scrolling.
  /// Number of overlaps, exceeded quotas and findings about documents.
  std::uint64_t total(Severity severity) const {
    return report_.count_with_budgets(severity) + about_documents(severity);
  }

  answer::Overview overview() const {
    return {
        .origin = "derived from manifests",
        .subject = report_.only_domain,
        .highlights = {{"errors", counted_text(total(Severity::Error), "error")},
                       {"warnings", counted_text(total(Severity::Warning), "warning")},
                       {"compared", fmt::format("{} in {}", counted_text(report_.shoots, "shoot"),
                                                counted_text(report_.domains, "network"))}}};
  }

  void add_counts() {
    const std::string networks = counted_text(report_.domains, "network");
    std::string text =
        fmt::format("{}{} {}, {}",
                    report_.only_domain.empty()
                        ? fmt::format("{} in {}", counted_text(report_.shoots, "shoot"), networks)
                        : fmt::format("{}, 1 of {}", report_.only_domain, networks),
                    report_.what_if ? "; new:" : ":", counted_text(total(Severity::Error), "error"),
                    counted_text(total(Severity::Warning), "warning"));
    if (const std::uint64_t documents =
            about_documents(Severity::Error) + about_documents(Severity::Warning))
      text += fmt::format(" ({} about documents)", documents);
    if (const std::uint64_t notes = report_.count(Severity::Note))
      text += fmt::format(", {}{}", counted_text(notes, "harmless overlap"),
                          report_.min_severity > Severity::Note ? " (--notes shows them)" : "");
    if (report_.known)
      text +=
          fmt::format("; {} of the baseline {} not shown", counted_text(*report_.known, "overlap"),
                      report_.known == 1u ? "is" : "are");
    Section& section = add("");
    const auto line = [&](std::string what) {
      section.blocks.emplace_back(Paragraph{.label = "", .text = std::move(what)});
    };
    line(std::move(text));
    for (const auto& [connection, count] : report_.errors_over)
      line(fmt::format("{0}, which joins it with other networks: {1} (--domain {0} shows them)",
                       connection, counted_text(count, "error")));
    if (report_.count(Severity::Error) > 0 && !report_.plan)
      line("Run with --plan to list the shoots to change, with free pod ranges");
  }

  static constexpr std::string_view kNothing = "nothing";

  const OverlapReport& report_;
  const OverlapDocumentOptions& options_;
  std::vector<Pairs> overlaps_;  ///< By group.
  answer::Document document_;
};

}  // namespace

answer::Document overlap_document(const OverlapReport& report,
                                  const OverlapDocumentOptions& options) {
  return OverlapDocument(report, options).build();
}

}  // namespace overlane::overlap
