#include "tools/overlane/overlap/summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/text.h"
#include "topologies/overlap/report/group_index.h"

namespace overlane::command {
namespace {

using overlap::End;
using overlap::Group;
using overlap::Overlap;
using overlap::OverlapReport;
using overlap::RouteBudget;
using overlap::Urgency;
using overlap::WhatIf;

constexpr std::size_t kMostLines = 10;  // Per label.
constexpr std::string_view kNothing = "nothing";

/// Lines with the label before the first one only.
std::string labelled(std::string_view label, const std::vector<std::string>& lines,
                     std::string_view more) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostLines, lines.size()); ++i)
    text += report::wrapped_line(fmt::format("{:<13} ", i == 0 ? label : ""), lines[i]);
  if (lines.size() > kMostLines)
    text +=
        fmt::format("{:14}… and {}\n", "", report::counted_text(lines.size() - kMostLines, more));
  return text;
}

/// The errors of one urgency in one domain.
struct DomainErrors {
  std::string_view domain;
  std::uint64_t overlaps = 0;
  std::uint64_t unlisted_shoots = 0;  ///< Of groups with unlisted pairs.
  std::uint64_t exceeded_quotas = 0;
  std::optional<std::uint64_t> creations;          ///< Node creations until the first conflict.
  std::map<std::string_view, std::int64_t> nodes;  ///< By shoot.
};

std::string line_of(const DomainErrors& place) {
  std::vector<std::string> parts;
  if (place.overlaps > 0) {
    std::int64_t nodes = 0;
    for (const auto& [shoot, its] : place.nodes)
      nodes += its;
    const bool are_known = place.unlisted_shoots == 0 && nodes > 0;
    const auto shoots = std::max<std::uint64_t>(place.nodes.size(), place.unlisted_shoots);
    parts.push_back(fmt::format(
        "{} involving {}{}", report::counted_text(place.overlaps, "overlap"),
        report::counted_text(shoots, "shoot"),
        are_known
            ? fmt::format(" ({})", report::counted_text(static_cast<std::uint64_t>(nodes), "node"))
            : ""));
  }
  if (place.creations)
    parts.push_back(*place.creations == 0
                        ? "when a shoot wakes up"
                        : "earliest after " +
                              report::counted_text(*place.creations, "node creation"));
  if (place.exceeded_quotas > 0)
    parts.push_back(report::counted_text(place.exceeded_quotas, "route quota") + " exceeded");
  return fmt::format("{}: {}", place.domain, fmt::join(parts, ", "));
}

class Summary {
 public:
  explicit Summary(const OverlapReport& report) : report_(report), index_(report.groups) {}

  std::string print() {
    if (report_.what_if) add_what_if(*report_.what_if);
    add("errors now", Urgency::Now);
    add("errors later", Urgency::Later);
    add_manifests();
    add_routes();
    return std::move(text_);
  }

 private:
  /// Whether admission rejects the change of the shoot.
  bool is_refused(const std::string& shoot) const {
    return std::ranges::any_of(report_.findings, [&](const Finding& finding) {
      return finding.rule == "not-admitted" && finding.object.qualified() == shoot;
    });
  }

  void add_what_if(const WhatIf& what_if) {
    std::vector<std::string> asked;
    for (const std::string& shoot : what_if.applied)
      asked.push_back(
          shoot + (is_refused(shoot) ? " is re-created (an update is refused)" : " is applied"));
    for (const auto& [shoot, mode] : what_if.modes)
      asked.push_back(fmt::format("{} {}{}", shoot,
                                  mode == effective::Mode::Routed ? "is routed" : "has an overlay",
                                  is_refused(shoot) ? " (refused)" : ""));
    text_ += labelled("what if", asked, "more");
    std::array<std::uint64_t, 3> added{};
    std::array<std::uint64_t, 3> resolved{};
    for (const Severity severity : {Severity::Note, Severity::Warning, Severity::Error})
      added[static_cast<std::size_t>(severity)] = report_.count_with_budgets(severity);
    for (const Group& group : what_if.gone_groups)
      resolved[static_cast<std::size_t>(group.impact.severity)] += group.pairs;
    for (const Finding& finding : what_if.gone_findings)
      ++resolved[static_cast<std::size_t>(finding.severity)];
    text_ += labelled("new", {text_of(added)}, "");
    text_ += labelled("resolved", {text_of(resolved)}, "");
    const std::string stays = text_of(what_if.unchanged);
    text_ +=
        labelled("unchanged",
                 {stays + (stays == kNothing ? "" : ", shown without --with and --assume")}, "");
  }

  std::string text_of(const std::array<std::uint64_t, 3>& counts) const {
    std::vector<std::string> parts;
    const auto add = [&](Severity severity, std::string_view what) {
      if (const std::uint64_t count = counts[static_cast<std::size_t>(severity)])
        parts.push_back(report::counted_text(count, what));
    };
    add(Severity::Error, "error");
    add(Severity::Warning, "warning");
    if (report_.least == Severity::Note) add(Severity::Note, "harmless overlap");
    return parts.empty() ? std::string(kNothing) : fmt::format("{}", fmt::join(parts, ", "));
  }

  /// Adds the domains with errors of this urgency, by time to conflict, then in the report's order.
  void add(std::string_view label, Urgency urgency) {
    std::vector<DomainErrors> places;
    std::map<std::string_view, std::size_t> numbers;
    const auto at = [&](std::string_view domain) -> DomainErrors& {
      const auto [known, is_new] = numbers.emplace(domain, places.size());
      if (is_new) places.push_back({.domain = domain});
      return places[known->second];
    };
    std::set<std::size_t> groups;
    for (const Overlap& overlap : report_.overlaps) {
      if (overlap.impact.severity != Severity::Error || overlap.urgency != urgency) continue;
      DomainErrors& place = at(overlap.routing_domain);
      ++place.overlaps;
      if (urgency == Urgency::Later) {
        const std::uint64_t creations = overlap.creations_until_impact();
        place.creations = std::min(place.creations.value_or(creations), creations);
      }
      for (const End* end : {&overlap.a, &overlap.b})
        if (!end->shoot.empty()) place.nodes[end->shoot] = end->nodes;
      const auto group = index_.of(overlap);
      if (!group || !groups.insert(*group).second) continue;
      const Group& its = report_.groups[*group];
      if (its.urgency != urgency || its.listed == its.pairs) continue;
      place.overlaps += its.pairs - its.listed;
      place.unlisted_shoots = std::max(place.unlisted_shoots, its.shoots);
    }
    if (urgency == Urgency::Now)
      for (const RouteBudget& budget : report_.budgets)
        if (budget.finding && budget.finding->severity == Severity::Error &&
            !budget.waits_for_creation())
          ++at(budget.routing_domain).exceeded_quotas;
    std::ranges::stable_sort(places, {}, &DomainErrors::creations);
    std::vector<std::string> lines;
    for (const DomainErrors& place : places)
      lines.push_back(line_of(place));
    text_ += labelled(label, lines, "more network");
  }

  void add_manifests() {
    std::vector<std::string> lines;
    std::set<std::string_view> seen;
    for (const Overlap& overlap : report_.overlaps) {
      if (overlap.impact.severity != Severity::Error || overlap.urgency != Urgency::NotCreated)
        continue;
      for (const End* end : {&overlap.a, &overlap.b})
        if (!end->created && seen.insert(end->shoot).second)
          lines.push_back(fmt::format("{}: {} of {}", end->place.to_string(), to_string(end->role),
                                      end->shoot));
    }
    for (const RouteBudget& budget : report_.budgets) {
      if (!budget.finding || budget.finding->severity != Severity::Error ||
          !budget.waits_for_creation())
        continue;
      for (const auto& [shoot, place] : budget.not_created)
        lines.push_back(fmt::format("{}: nodes of {} exceed the route quota of {}",
                                    place.to_string(), shoot, budget.routing_domain));
    }
    text_ += labelled("do not apply", lines, "more manifest");
  }

  /// The fullest route tables of those whose quota suffices.
  void add_routes() {
    constexpr std::size_t kMostTables = 3;
    std::vector<std::string> lines;
    for (const RouteBudget& budget : report_.budgets) {
      if (!budget.quota || budget.finding || lines.size() == kMostTables) continue;
      lines.push_back(fmt::format("{}: {} to {} of {} routes{}", budget.routing_domain,
                                  budget.minimum, budget.maximum, *budget.quota,
                                  budget.quota_assumed ? " (quota assumed)" : ""));
    }
    text_ += labelled("routes", lines, "");
  }

  const OverlapReport& report_;
  overlap::GroupIndex index_;
  std::string text_;
};

}  // namespace

std::string overlap_summary(const OverlapReport& report) {
  return Summary(report).print();
}

}  // namespace overlane::command
