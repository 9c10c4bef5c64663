#include "topologies/overlap/report/headline.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/text.h"
#include "topologies/overlap/inventory/unmodelled.h"
#include "topologies/overlap/report/group_index.h"

namespace overlane::overlap {
namespace {

using report::counted_text;

constexpr std::string_view kRefused = "not-admitted";

/// Conflicts and exceeded quotas that begin at one time.
struct Trouble {
  std::uint64_t conflicts = 0;
  std::uint64_t quotas = 0;
  std::optional<std::uint64_t> first_conflict;  ///< Node creations; 0: a shoot wakes up.
  std::optional<std::uint64_t> first_quota;     ///< More nodes.

  bool is_empty() const { return conflicts + quotas == 0; }
};

/// Overlaps with a warning.
struct Warned {
  std::uint64_t overlaps = 0;
  bool is_begun = false;               ///< One of them is in effect now.
  std::optional<std::uint64_t> first;  ///< As Trouble::first_conflict.
};

std::string begin_text(std::uint64_t first, std::string_view what) {
  return first == 0 ? "when a shoot wakes up" : "after " + counted_text(first, what);
}

void lower(std::optional<std::uint64_t>& least, std::uint64_t value) {
  least = std::min(least.value_or(value), value);
}

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

  /// When the first begins; empty if that is now.
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
                      is_all ? "" : " now"));
    if (!later.is_empty()) add_later(later);
    if (!created.is_empty()) add(text_of(created) + " once manifests are applied");
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
  Warned possible_;                  ///< Only warnings, because no document says what is shared.
  Warned warnings_;                  ///< All others.
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

}  // namespace overlane::overlap
