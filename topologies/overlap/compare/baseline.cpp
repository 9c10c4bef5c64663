#include "topologies/overlap/compare/baseline.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "topologies/overlap/report/group_index.h"

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

/// One text of several, none of which holds the separator.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts)
    key.append(part) += '\x1f';
  return key;
}

/// Of an overlap, the domain of its group: none where a shoot meets itself, or what is kept from
/// all shoots.
std::string_view group_domain(const Value& overlap) {
  const Value b = overlap["b"];
  const bool by_itself =
      b["owner"].text() == overlap["a"]["owner"].text() ||
      (b["shoot"].text().empty() && b["role"].text() != to_string(Role::Declared));
  return by_itself ? "" : overlap["routing_domain"].text();
}

Result<Severity> severity_at(const Value& item) {
  const std::string_view text = item["severity"].text();
  for (const Severity severity : {Severity::Note, Severity::Warning, Severity::Error})
    if (text == to_string(severity)) return severity;
  return fail(refusal(item, fmt::format("\"{}\" is no severity", text)));
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

/// "one.yaml:7:5". An IPv6 address is none.
bool is_place(std::string_view word) {
  constexpr std::string_view kDigits = "0123456789";
  for (int number = 0; number < 2; ++number) {
    const std::size_t colon = word.find_last_not_of(kDigits);
    if (colon == word.npos || word[colon] != ':' || colon + 1 == word.size()) return false;
    word = word.substr(0, colon);
  }
  return word.find_first_not_of("0123456789abcdefABCDEF: (") != word.npos;
}

/// A message without the places that it names ("one.yaml:7:5"): they change with each line that is
/// added to a file, and with the folder that the program is called in.
std::string without_places(std::string_view message) {
  std::string kept;
  while (!message.empty()) {
    const std::string_view word = message.substr(0, message.find_first_of(" ()", 1));
    if (!is_place(word)) kept += word;
    message.remove_prefix(word.size());
  }
  return kept;
}

/// A list of routes that is too small stays one while its shoots get other numbers of nodes, of
/// which its message tells.
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

bool weighs_at_least(const std::map<std::string, Severity>& known, const std::string& key,
                     Severity severity) {
  const auto found = known.find(key);
  return found != known.end() && found->second >= severity;
}

/// What groups say of their pairs, where these are listed.
void describe_again(OverlapReport& report) {
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
    return fail(refusal(root, "the baseline is no report of overlane overlap"));
  const Value version = root["schema_version"];
  if (version.as_integer().value_or(kNewestVersion + 1) > kNewestVersion)
    return fail(refusal(root, fmt::format("the baseline has {} as schema_version, and this program "
                                          "knows {}",
                                          version ? version.text() : "nothing", kNewestVersion)));
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

/// Only those are in a report whose pairs are not all listed.
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
  return weighs_at_least(overlaps_, key_of(overlap), overlap.impact.severity);
}

bool Baseline::knows(const Finding& finding) const {
  return weighs_at_least(findings_, key_of(finding), finding.severity);
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
  auto known = groups_;  // Whose pairs are spent on the report's, which are the worst first.
  for (std::size_t i = 0; i < report.groups.size(); ++i) {
    Group& group = report.groups[i];
    KnownGroup& earlier =
        known[{std::string(group.impact.rule->id), group.kind, group.routing_domain}];
    const bool is_exact = earlier.all_listed && group.listed == group.pairs;
    std::uint64_t unknown = is_exact ? group.pairs - listed[i] : group.pairs;
    for (auto& [severity, pairs] : earlier.pairs) {
      if (severity < group.impact.severity) continue;
      const std::uint64_t spent = std::min(pairs, unknown);
      pairs -= spent;
      unknown -= spent;
    }
    if (is_exact) unknown = listed[i];
    if (!earlier.all_listed && unknown == 0) listed[i] = 0;
    group.listed = listed[i];
    group.pairs = group.impact.severity < report.least ? 0 : std::max(unknown, listed[i]);
  }
  std::erase_if(report.overlaps, [&](const Overlap& overlap) {
    const auto group = index.of(overlap);
    return knows(overlap) || (group && listed[*group] == 0);
  });
  describe_again(report);
  report.known = before - report.count_shown();
  std::erase_if(report.groups, [](const Group& group) { return group.pairs == 0; });
}

void Baseline::leave_out_findings(OverlapReport& report) const {
  std::erase_if(report.findings, [&](const Finding& finding) { return knows(finding); });
  for (RouteBudget& budget : report.budgets)
    if (budget.finding && knows(*budget.finding)) budget.finding.reset();
}

}  // namespace overlane::overlap
