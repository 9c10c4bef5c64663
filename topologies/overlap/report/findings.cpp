#include "topologies/overlap/report/findings.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/base/text.h"
#include "topologies/overlap/report/advice.h"
#include "topologies/overlap/report/group_index.h"

namespace overlane::overlap {
namespace {

/// "routed pods 100.96.0.0/11 (assumed)".
std::string range_text(const End& end) {
  const std::string_view mode = end.mode();
  return fmt::format("{}{}{} {}{}", mode, mode.empty() ? "" : " ", to_string(end.role),
                     end.cidr.to_string(), end.assumed ? " (assumed)" : "");
}

/// "of garden-b/two (two.yaml:7:5)".
std::string owner_text(const Overlap& overlap) {
  if (overlap.b.owner == overlap.a.owner) return "of its own";
  const std::string place = overlap.b.place.to_string();
  return fmt::format("of {}{}", overlap.b.owner, place.empty() ? "" : " (" + place + ")");
}

/// Time to the first overlap of node pod CIDRs; empty if they do not matter.
std::string pod_cidrs_text(const Overlap& overlap) {
  const auto& nodes = overlap.nodes_until_conflict;
  const auto& creations = overlap.creations_until_conflict;
  if (!nodes || !creations) return "";
  const bool is_with_nodes = overlap.a.role != overlap.b.role;
  if (creations == 0u)
    return fmt::format("pod CIDRs of nodes {} {}",
                       is_with_nodes ? "lie in this range" : "overlap in this range",
                       overlap.urgency == Urgency::NotCreated ? "as soon as both exist" : "now");
  std::string text = overlap.loses_routes()
                         ? fmt::format("routes are deleted {}; first overlap of node pod CIDRs ",
                                       overlap.urgency == Urgency::Now     ? "from now on"
                                       : overlap.urgency == Urgency::Later ? "once both are awake"
                                                                           : "once both exist")
                         : "not in use yet; earliest conflict ";
  text += fmt::format(
      "after {}, replacements included",
      *creations == 1 ? "1 node creation" : fmt::format("{} node creations", *creations));
  if (overlap.growth < *creations)
    text += fmt::format(" (the workers allow {} more at a time)", overlap.growth);
  return text;
}

/// "garden-b/two is hibernated: no nodes until it wakes up, then at least 3".
std::string waking_text(const End& end) {
  return end.waking_nodes
             ? fmt::format("{} is hibernated: no nodes until it wakes up, then at least {}",
                           end.owner, *end.waking_nodes)
             : "";
}

Finding finding_of(const Overlap& overlap) {
  const std::string until = until_text(overlap);
  const bool a_has_place = !overlap.a.place.file.empty();
  const End& at = a_has_place ? overlap.a : overlap.b;
  return {.rule = std::string(overlap.impact.rule->id),
          .severity = overlap.impact.severity,
          .message = fmt::format("{}: {} overlap {} {} in {}: {}{}{}", overlap.a.owner,
                                 range_text(overlap.a), range_text(overlap.b), owner_text(overlap),
                                 overlap.routing_domain, overlap.consequence,
                                 until.empty() ? "" : "; ", until),
          .object = overlap.a.object,
          .path = at.assumed ? "" : at.path,
          .place = at.place,
          .hint = advice(overlap)};
}

/// For a group with unlisted pairs; `first` is a listed one.
Finding unlisted_pairs(const Group& group, const Overlap& first) {
  Finding finding = finding_of(first);
  finding.message =
      fmt::format("{}, and others: {} ({}{}) of {} are counted and not listed", first.a.owner,
                  counted(group.pairs - group.listed, "more overlap"), group.kind,
                  group.routing_domain.empty() ? "" : ", " + group.routing_domain,
                  counted(group.shoots, "shoot"));
  return finding;
}

}  // namespace

Findings findings_of(const OverlapReport& report) {
  Findings findings;
  const GroupIndex index(report.groups);
  std::vector<const Overlap*> firsts(report.groups.size());
  for (const Overlap& overlap : report.overlaps) {
    findings.push_back(finding_of(overlap));
    if (const auto group = index.of(overlap); group && firsts[*group] == nullptr)
      firsts[*group] = &overlap;
  }
  for (std::size_t i = 0; i < report.groups.size(); ++i)
    if (firsts[i] != nullptr && report.groups[i].pairs > report.groups[i].listed)
      findings.push_back(unlisted_pairs(report.groups[i], *firsts[i]));
  const Findings others = report.all_findings();
  findings.insert(findings.end(), others.begin(), others.end());
  return findings;
}

std::string until_text(const Overlap& overlap) {
  std::vector<std::string> parts = {pod_cidrs_text(overlap)};
  if (overlap.urgency == Urgency::Later) {
    parts.push_back(waking_text(overlap.a));
    if (overlap.b.shoot != overlap.a.shoot) parts.push_back(waking_text(overlap.b));
  }
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace overlane::overlap
