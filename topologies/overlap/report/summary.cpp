#include "topologies/overlap/report/summary.h"

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
#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/report/report.h"

namespace overlane::overlap {

namespace {

using report::counted_text;

constexpr std::string_view kRefused = "not-admitted";

/// Conflicts and exceeded quotas that begin at one time.
struct Trouble {
  std::uint64_t conflicts = 0;
  std::uint64_t quotas = 0;
  std::optional<std::uint64_t> first_conflict;  ///< Node creations until the first; 0: a shoot
                                                ///< wakes up.
  std::optional<std::uint64_t> first_quota;     ///< Additional nodes until the first.

  bool is_empty() const { return conflicts + quotas == 0; }
};

/// Overlaps with a warning.
struct Warned {
  std::uint64_t overlaps = 0;
  bool is_begun = false;  ///< Whether one of them is in effect now.
  std::optional<std::uint64_t>
      first;  ///< Node creations until the first of them; see Trouble::first_conflict.
};

std::string begin_text(std::uint64_t first, std::string_view what) {
  return first == 0 ? "when a shoot wakes up" : "after " + counted_text(first, what);
}

void lower(std::optional<std::uint64_t>& least, std::uint64_t value) {
  least = std::min(least.value_or(value), value);
}

/// Why overlapping pod ranges are no conflict.
struct Harmless {
  std::string_view rule;
  std::string_view why;
};
constexpr Harmless kHarmless[] = {
    {"overlap-tables-of-their-own", ", in separate route tables"},
    {"overlap-hidden-by-overlay", ", hidden by the overlays"},
    {"overlap-not-announced", ", and no route crosses the connection"},
};

class Headline {
 public:
  explicit Headline(const OverlapReport& report) : report_(report) {
    count_overlaps();
    count_quotas();
  }

  std::string print() {
    add_troubles();
    if (possible_.overlaps > 0)
      add(fmt::format("{}{} if shoots share a network or table, which manifests do not show",
                      counted_text(possible_.overlaps, "possible " + conflict()),
                      text_of(possible_)));
    if (warnings_.overlaps > 0)
      add(fmt::format("{} with a warning{}", counted_text(warnings_.overlaps, "other overlap"),
                      text_of(warnings_)));
    for (const auto& [connection, count] : report_.errors_over)
      add(fmt::format("{} over {}", counted_text(count, "error"), connection));
    add_documents();
    add_compared();
    return fmt::format("{}", fmt::join(parts_, "; "));
  }

 private:
  Trouble& at(Urgency urgency) { return troubles_[static_cast<std::size_t>(urgency)]; }

  void count_overlaps() {
    for (const Overlap& overlap : report_.overlaps) {
      if (overlap.impact.severity == Severity::Warning) {
        Warned& its = overlap.impact.sure ? warnings_ : possible_;
        its.is_begun |= overlap.urgency == Urgency::Now;
        if (overlap.urgency == Urgency::Later) lower(its.first, overlap.creations_until_impact());
      }
      if (overlap.impact.severity != Severity::Error) continue;
      ++at(overlap.urgency).conflicts;
      if (overlap.urgency == Urgency::Later)
        lower(at(Urgency::Later).first_conflict, overlap.creations_until_impact());
    }
    for (const Group& group : report_.groups) {
      if (group.impact.severity == Severity::Error)
        at(group.urgency).conflicts += group.pairs - group.listed;
      if (group.impact.severity == Severity::Warning)
        (group.impact.sure ? warnings_ : possible_).overlaps += group.pairs;
    }
  }

  void count_quotas() {
    for (const RouteBudget& budget : report_.budgets) {
      if (!budget.finding || !budget.quota) continue;
      const bool is_later = budget.minimum <= *budget.quota;
      Trouble& its = at(is_later                      ? Urgency::Later
                        : budget.waits_for_creation() ? Urgency::NotCreated
                                                      : Urgency::Now);
      ++its.quotas;
      if (is_later)
        lower(its.first_quota, static_cast<std::uint64_t>(*budget.quota - budget.minimum + 1));
    }
  }

  /// "conflict"; "new conflict" if the report leaves out known ones.
  std::string conflict() const {
    return report_.what_if || report_.known ? "new conflict" : "conflict";
  }

  /// "2 conflicts and 1 exceeded route quota".
  std::string text_of(const Trouble& trouble) const {
    std::vector<std::string> parts;
    if (trouble.conflicts > 0) parts.push_back(counted_text(trouble.conflicts, conflict()));
    if (trouble.quotas > 0) parts.push_back(counted_text(trouble.quotas, "exceeded route quota"));
    return fmt::format("{}", fmt::join(parts, " and "));
  }

  /// When the first overlap takes effect; empty if it does now.
  static std::string text_of(const Warned& warned) {
    if (warned.is_begun) return "";
    if (!warned.first) return " once manifests are applied";
    return fmt::format("{} {}", warned.overlaps == 1 ? "" : ", the first",
                       begin_text(*warned.first, "node creation"));
  }

  void add_troubles() {
    const Trouble& now = at(Urgency::Now);
    const Trouble& later = at(Urgency::Later);
    const Trouble& created = at(Urgency::NotCreated);
    const bool is_all = later.is_empty() && created.is_empty();
    if (!now.is_empty())
      add(text_of(now) + " now");
    else
      add(fmt::format("no {}{}{}", possible_.overlaps > 0 ? "certain " : "", conflict(),
                      is_all ? harmless() : " now"));
    if (!later.is_empty()) add_later(later);
    if (!created.is_empty()) add(text_of(created) + " once manifests are applied");
  }

  /// " (the pod ranges overlap, in separate route tables)" if pod ranges overlap without conflict.
  std::string harmless() const {
    std::uint64_t pairs = 0;
    std::optional<std::string_view> why;
    for (const Group& group : report_.groups) {
      if (group.impact.severity != Severity::Note || group.kind != "pods-pods") continue;
      pairs += group.pairs;
      const auto* const known =
          std::ranges::find(kHarmless, group.impact.rule->id, &Harmless::rule);
      const std::string_view its = known == std::end(kHarmless) ? "" : known->why;
      why = why.value_or(its) == its ? its : "";
    }
    if (pairs == 0) return "";
    return fmt::format(" ({}{})",
                       pairs == 1
                           ? std::string("the pod ranges overlap")
                           : fmt::format("pod ranges overlap in {}", counted_text(pairs, "pair")),
                       *why);
  }

  void add_later(const Trouble& later) {
    const auto when = [](std::uint64_t number, std::uint64_t first, std::string_view what) {
      const std::string begin = begin_text(first, what);
      return number == 1 ? ' ' + begin : " later, the first " + begin;
    };
    if (later.conflicts > 0)
      add(counted_text(later.conflicts, conflict()) +
          when(later.conflicts, later.first_conflict.value_or(0), "node creation"));
    if (later.quotas > 0)
      add(counted_text(later.quotas, "route quota") + " exceeded" +
          when(later.quotas, later.first_quota.value_or(0), "more node"));
  }

  void add_documents() {
    std::uint64_t errors = 0, refused = 0;
    for (const Finding& finding : report_.findings)
      if (finding.severity == Severity::Error) ++(finding.rule == kRefused ? refused : errors);
    if (errors > 0)
      add(counted_text(errors, "error") + " about documents, so overlaps may be missing");
    if (refused > 0) add(counted_text(refused, "update") + " refused by a running shoot");
  }

  void add_compared() {
    if (std::ranges::any_of(report_.findings, [](const Finding& finding) {
          return finding.rule == unmodelled_rule().id;
        }))
      add(fmt::format("some shoots are not compared ({})", unmodelled_rule().id));
    if (report_.what_if)
      if (const std::uint64_t errors =
              report_.what_if->unchanged[static_cast<std::size_t>(Severity::Error)])
        add(counted_text(errors, "error") + " unchanged");
    if (report_.known.value_or(0) > 0)
      add(counted_text(*report_.known, "overlap") + " of the baseline not shown");
  }

  void add(std::string part) { parts_.push_back(std::move(part)); }

  const OverlapReport& report_;
  std::array<Trouble, 3> troubles_;  ///< By Urgency.
  Warned possible_;                  ///< Warnings that would be errors if the documents said what
                                     ///< is shared.
  Warned warnings_;                  ///< All other warnings.
  std::vector<std::string> parts_;
};

}  // namespace

std::string headline(const OverlapReport& report) {
  return Headline(report).print();
}

answer::Tone headline_tone(const OverlapReport& report) {
  if (report.any_at_or_above(Severity::Error)) return answer::Tone::Bad;
  return report.any_at_or_above(Severity::Warning) || !report.errors_over.empty()
             ? answer::Tone::Warning
             : answer::Tone::Good;
}

namespace {

constexpr std::size_t kMaxLines = 10;  // Maximum number of lines per section.

/// The errors of one urgency in one domain.
struct DomainErrors {
  std::string_view domain;
  std::uint64_t overlaps = 0;
  std::uint64_t unlisted_shoots = 0;  ///< Shoots in groups with unlisted pairs.
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

class NetworkErrors {
 public:
  explicit NetworkErrors(const OverlapReport& report) : report_(report), index_(report.groups) {}

  std::vector<answer::Section> list() {
    add("errors now", Urgency::Now);
    add("errors later", Urgency::Later);
    add_manifests();
    add_routes();
    return std::move(sections_);
  }

 private:
  void add_lines(std::string_view heading, std::vector<std::string> lines, std::string_view more) {
    if (lines.empty()) return;
    if (lines.size() > kMaxLines) {
      const std::string rest = "… and " + report::counted_text(lines.size() - kMaxLines, more);
      lines.resize(kMaxLines);
      lines.push_back(rest);
    }
    sections_.push_back(
        {.heading = std::string(heading), .blocks = {answer::List{std::move(lines)}}});
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
    add_lines(label, std::move(lines), "more network");
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
    add_lines("do not apply", std::move(lines), "more manifest");
  }

  /// Adds the fullest route tables among those whose quota suffices.
  void add_routes() {
    constexpr std::size_t kMaxTables = 3;
    std::vector<std::string> lines;
    for (const RouteBudget& budget : report_.budgets) {
      if (!budget.quota || budget.finding || lines.size() == kMaxTables) continue;
      const bool has_others = std::ranges::count(report_.budgets, budget.routing_domain,
                                                 &RouteBudget::routing_domain) > 1;
      const std::string table = has_others ? fmt::format(" in the {} of {}", budget.holder,
                                                         fmt::join(budget.shoots, ", "))
                                           : "";
      lines.push_back(fmt::format("{}: {} to {} of {} routes{}{}", budget.routing_domain,
                                  budget.minimum, budget.maximum, *budget.quota,
                                  budget.quota_assumed ? " (quota assumed)" : "", table));
    }
    add_lines("routes", std::move(lines), "");
  }

  const OverlapReport& report_;
  GroupIndex index_;
  std::vector<answer::Section> sections_;
};

}  // namespace

std::vector<answer::Section> network_errors(const OverlapReport& report) {
  return NetworkErrors(report).list();
}

}  // namespace overlane::overlap
