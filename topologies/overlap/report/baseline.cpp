#include "topologies/overlap/report/baseline.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "topologies/overlap/report/report.h"

namespace overlane::overlap {

namespace {

using document::Value;

constexpr std::int64_t kNewestVersion = 1;

Finding refusal(const Value& at, std::string message) {
  const rules::Rule& broken = rule("invalid-baseline");
  return {.rule = std::string(broken.id),
          .message = std::move(message),
          .place = at.place(),
          .hint = std::string(broken.remedy)};
}

/// Joins parts to one key. Parts must not contain the separator.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts)
    key.append(part) += '\x1f';
  return key;
}

/// The domain of an overlap's group; empty for overlaps within a shoot and with reserved ranges.
std::string_view group_domain(const Value& overlap) {
  const Value b = overlap["b"];
  const bool within_shoot =
      b["owner"].text() == overlap["a"]["owner"].text() ||
      (b["shoot"].text().empty() && b["role"].text() != to_string(Role::Declared));
  return within_shoot ? "" : overlap["routing_domain"].text();
}

Result<Severity> severity_at(const Value& item) {
  const std::string_view text = item["severity"].text();
  for (const Severity severity : {Severity::Note, Severity::Warning, Severity::Error})
    if (text == to_string(severity)) return severity;
  return fail(refusal(item, fmt::format("\"{}\" is not a severity", text)));
}

void know(std::map<std::string, Severity>& known, const std::string& key, Severity severity) {
  const auto [found, is_new] = known.emplace(key, severity);
  if (!is_new) found->second = std::max(found->second, severity);
}

std::string key_at(const Value& end) {
  return joined({end["owner"].text(), end["role"].text(), end["cidr"].text()});
}

std::string key_of(const End& end) {
  return joined({end.owner, to_string(end.role), end.cidr.to_string()});
}

std::string key_of(const Overlap& overlap) {
  return joined({overlap.impact.rule->id, overlap.kind, overlap.routing_domain, key_of(overlap.a),
                 key_of(overlap.b)});
}

/// Whether a word is a place like "one.yaml:7:5", and not an IPv6 address.
bool is_place(std::string_view word) {
  constexpr std::string_view kDigits = "0123456789";
  for (int number = 0; number < 2; ++number) {
    const std::size_t colon = word.find_last_not_of(kDigits);
    if (colon == word.npos || word[colon] != ':' || colon + 1 == word.size()) return false;
    word = word.substr(0, colon);
  }
  return word.find_first_not_of("0123456789abcdefABCDEF: (") != word.npos;
}

/// A message without its places ("one.yaml:7:5"), which depend on the lines of a file and on the
/// working directory.
std::string without_places(std::string_view message) {
  std::string kept;
  while (!message.empty()) {
    const std::string_view word = message.substr(0, message.find_first_of(" ()", 1));
    if (!is_place(word)) kept += word;
    message.remove_prefix(word.size());
  }
  return kept;
}

/// Key of a finding. The message of an exceeded route quota is left out, because it contains the
/// number of nodes, which changes.
std::string key_of_finding(std::string_view rule, std::initializer_list<std::string_view> object,
                           std::string_view path, std::string_view message) {
  return joined({rule, joined(object), path,
                 rule.starts_with("domain-route-quota-") ? "" : without_places(message)});
}

std::string key_of(const Finding& finding) {
  const ObjectName& object = finding.object;
  return key_of_finding(finding.rule, {object.kind, object.namespace_, object.name}, finding.path,
                        finding.message);
}

bool is_known_with(const std::map<std::string, Severity>& known, const std::string& key,
                   Severity severity) {
  const auto found = known.find(key);
  return found != known.end() && found->second >= severity;
}

/// Recomputes the properties of groups that depend on their listed pairs.
void update_groups(OverlapReport& report) {
  const GroupIndex index(report.groups);
  std::vector<std::set<std::string_view>> shoots(report.groups.size());
  std::vector<Urgency> urgencies(report.groups.size(), Urgency::NotCreated);
  for (const Overlap& overlap : report.overlaps) {
    const auto group = index.of(overlap);
    if (!group) continue;
    for (const End* end : {&overlap.a, &overlap.b})
      if (!end->shoot.empty()) shoots[*group].insert(end->shoot);
    urgencies[*group] = std::min(urgencies[*group], overlap.urgency);
  }
  for (std::size_t i = 0; i < report.groups.size(); ++i) {
    Group& group = report.groups[i];
    if (group.listed == group.pairs) group.shoots = shoots[i].size();
    if (group.listed > 0) group.urgency = urgencies[i];
  }
}

}  // namespace

Baseline::Baseline(const OverlapReport& report) {
  for (const Overlap& overlap : report.overlaps)
    know(overlaps_, key_of(overlap), overlap.impact.severity);
  for (const Group& group : report.groups) {
    KnownGroup& known =
        groups_[{std::string(group.impact.rule->id), group.kind, group.routing_domain}];
    known.all_listed = known.all_listed && group.listed == group.pairs;
    known.pairs[group.impact.severity] += group.pairs;
  }
  for (const Finding& finding : report.all_findings())
    know(findings_, key_of(finding), finding.severity);
}

Result<Baseline> Baseline::decode(const document::Tree& tree) {
  const Value root = tree.root();
  if (root["kind"].text() != "OverlapReport")
    return fail(refusal(root, "the baseline is not a report of overlane overlap"));
  const Value version = root["schema_version"];
  if (version.as_integer().value_or(kNewestVersion + 1) > kNewestVersion)
    return fail(refusal(root, fmt::format("the baseline has schema_version {}, but this program "
                                          "supports {}",
                                          version ? version.text() : "none", kNewestVersion)));
  if (!root["overlaps"].is(document::Kind::Sequence))
    return fail(refusal(root, "the baseline has no list of overlaps"));
  Baseline baseline;
  for (const auto& read :
       {baseline.add_overlaps(root["overlaps"]), baseline.add_groups(root["groups"]),
        baseline.add_findings(root["findings"])})
    if (!read) return fail(read.error());
  return baseline;
}

Result<void> Baseline::add_overlaps(const Value& overlaps) {
  for (const Value& item : overlaps) {
    const auto severity = severity_at(item);
    if (!severity) return fail(severity.error());
    const std::string_view id = item["rule"].text();
    const std::string_view kind = item["kind"].text();
    const std::string_view domain = item["routing_domain"].text();
    know(overlaps_, joined({id, kind, domain, key_at(item["a"]), key_at(item["b"])}), *severity);
    ++groups_[{std::string(id), std::string(kind), std::string(group_domain(item))}]
          .pairs[*severity];
  }
  return {};
}

/// A report contains only groups with unlisted pairs.
Result<void> Baseline::add_groups(const Value& groups) {
  for (const Value& item : groups) {
    const auto severity = severity_at(item);
    if (!severity) return fail(severity.error());
    const auto number = [&](const char* key) {
      return static_cast<std::uint64_t>(
          std::max<std::int64_t>(item[key].as_integer().value_or(0), 0));
    };
    KnownGroup& known = groups_[{std::string(item["rule"].text()), std::string(item["kind"].text()),
                                 std::string(item["routing_domain"].text())}];
    known.all_listed = false;
    known.pairs[*severity] += number("pairs") - std::min(number("listed"), number("pairs"));
  }
  return {};
}

Result<void> Baseline::add_findings(const Value& findings) {
  for (const Value& item : findings) {
    const auto severity = severity_at(item);
    if (!severity) return fail(severity.error());
    const Value object = item["object"];
    know(findings_,
         key_of_finding(item["rule"].text(),
                        {object["kind"].text(), object["namespace"].text(), object["name"].text()},
                        item["path"].text(), item["message"].text()),
         *severity);
  }
  return {};
}

bool Baseline::knows(const Overlap& overlap) const {
  return is_known_with(overlaps_, key_of(overlap), overlap.impact.severity);
}

bool Baseline::knows(const Finding& finding) const {
  return is_known_with(findings_, key_of(finding), finding.severity);
}

void Baseline::leave_out_known(OverlapReport& report) const {
  leave_out_overlaps(report);
  leave_out_findings(report);
}

void Baseline::leave_out_overlaps(OverlapReport& report) const {
  const GroupIndex index(report.groups);
  std::vector<std::uint64_t> listed(report.groups.size());
  for (const Overlap& overlap : report.overlaps)
    if (const auto group = index.of(overlap); group && !knows(overlap)) ++listed[*group];
  const std::uint64_t before = report.count_shown();
  auto known = groups_;  // Pairs are subtracted from the most severe group first.
  for (std::size_t i = 0; i < report.groups.size(); ++i) {
    Group& group = report.groups[i];
    KnownGroup& earlier =
        known[{std::string(group.impact.rule->id), group.kind, group.routing_domain}];
    const bool is_exact = earlier.all_listed && group.listed == group.pairs;
    std::uint64_t unknown = is_exact ? group.pairs - listed[i] : group.pairs;
    for (auto& [severity, pairs] : earlier.pairs) {
      if (severity < group.impact.severity) continue;
      const std::uint64_t used = std::min(pairs, unknown);
      pairs -= used;
      unknown -= used;
    }
    if (is_exact) unknown = listed[i];
    if (!earlier.all_listed && unknown == 0) listed[i] = 0;
    group.listed = listed[i];
    group.pairs = group.impact.severity < report.min_severity ? 0 : std::max(unknown, listed[i]);
  }
  std::erase_if(report.overlaps, [&](const Overlap& overlap) {
    const auto group = index.of(overlap);
    return knows(overlap) || (group && listed[*group] == 0);
  });
  update_groups(report);
  report.known = before - report.count_shown();
  std::erase_if(report.groups, [](const Group& group) { return group.pairs == 0; });
}

void Baseline::leave_out_findings(OverlapReport& report) const {
  std::erase_if(report.findings, [&](const Finding& finding) { return knows(finding); });
  for (RouteBudget& budget : report.budgets)
    if (budget.finding && knows(*budget.finding)) budget.finding.reset();
}

namespace {

/// Candidates belong to the landscape without a name. If several shoots there have one name, their
/// landscape is named after the file.
bool is_in_landscape_of_candidates(const Shoot& shoot) {
  return shoot.landscape.empty() || shoot.landscape == shoot.place.file.str();
}

/// Index from shoots with routes in a route table to the table, for tables whose quota is exceeded.
class ExceededQuotas {
 public:
  explicit ExceededQuotas(const std::vector<RouteBudget>& budgets) {
    for (const RouteBudget& budget : budgets)
      if (budget.finding)
        for (const std::string& shoot : budget.shoots)
          budgets_.emplace(shoot, &budget);
  }

  /// Whether a table satisfies `condition` and has a shoot in common with `budget`.
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

/// Findings about quotas that are exceeded now, but not after the change.
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

/// Removes findings about quotas that were exceeded by at least as much before.
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
  std::vector<RouteBudget> budgets = std::move(report.budgets);  // Route budgets were already
                                                                 // compared above.
  before.leave_out_known(report);
  report.budgets = std::move(budgets);
  report.findings = std::move(errors);
  report.known.reset();
  for (const Severity severity : kAll)
    what_if.unchanged[static_cast<std::size_t>(severity)] -= report.count_with_budgets(severity);
  report.what_if = std::move(what_if);
}

}  // namespace overlane::overlap
