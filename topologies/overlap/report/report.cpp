#include "topologies/overlap/report/report.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/base/text.h"
#include "topologies/overlap/pairs/impact.h"

namespace overlane::overlap {

std::string_view End::mode() const {
  if (dataplane_mode == DataplaneMode::None) return "";
  return is_overlay(dataplane_mode) ? "overlay" : "routed";
}

bool Overlap::loses_routes() const {
  return impact.rule->id == kContested && deletes_routes_of_others(provider);
}

std::uint64_t Overlap::creations_until_impact() const {
  const std::uint64_t creations = creations_until_conflict.value_or(0);
  const auto by_waking =
      static_cast<std::uint64_t>(std::max(a.waking_nodes.value_or(0), b.waking_nodes.value_or(0)));
  return creations <= by_waking || loses_routes() ? 0 : creations;
}

std::string_view to_string(Urgency urgency) {
  switch (urgency) {
    case Urgency::Now:
      return "now";
    case Urgency::Later:
      return "later";
    case Urgency::NotCreated:
      return "not-created";
  }
  return "";
}

std::set<std::string> OverlapReport::applied_after_plan() const {
  std::set<std::string> waiting;
  if (!plan) return waiting;
  for (const Overlap& overlap : overlaps) {
    if (overlap.impact.severity != Severity::Error) continue;
    for (const End* end : {&overlap.a, &overlap.b})
      if (!end->shoot.empty() && !end->created) waiting.insert(end->shoot);
  }
  for (const PlanStep& step : *plan)
    waiting.erase(step.name);
  for (const RouteBudget& budget : budgets)
    for (const auto& manifest : budget.not_created)
      if (budget.finding && budget.finding->severity == Severity::Error)
        waiting.erase(manifest.shoot);
  return waiting;
}

Findings OverlapReport::all_findings() const {
  Findings all = findings;
  for (const RouteBudget& budget : budgets)
    if (budget.finding) all.push_back(*budget.finding);
  return all;
}

bool OverlapReport::any_at_or_above(Severity threshold) const {
  return overlane::any_at_or_above(all_findings(), threshold) ||
         std::ranges::any_of(
             groups, [&](const Group& group) { return group.impact.severity >= threshold; });
}

std::uint64_t OverlapReport::count(Severity severity) const {
  std::uint64_t pairs = 0;
  for (const Group& group : groups)
    if (group.impact.severity == severity) pairs += group.pairs;
  return pairs;
}

std::uint64_t OverlapReport::count_with_budgets(Severity severity) const {
  std::uint64_t all = count(severity);
  for (const RouteBudget& budget : budgets)
    all += budget.finding && budget.finding->severity == severity;
  return all;
}

std::uint64_t OverlapReport::count_shown() const {
  std::uint64_t pairs = 0;
  for (const Group& group : groups)
    if (group.impact.severity >= min_severity) pairs += group.pairs;
  return pairs;
}

GroupIndex::GroupIndex(const std::vector<Group>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    groups_.emplace(Key(group.routing_domain, group.impact.rule->id, group.impact.severity,
                        group.kind, group.impact.sure),
                    i);
  }
}

std::optional<std::size_t> GroupIndex::of(const Overlap& overlap) const {
  const auto look = [&](std::string_view domain) {
    return groups_.find(Key(domain, overlap.impact.rule->id, overlap.impact.severity, overlap.kind,
                            overlap.impact.sure));
  };
  auto found = look(overlap.routing_domain);
  if (found == groups_.end())
    found = look("");  // Groups of overlaps within single shoots have no
                       // domain.
  return found == groups_.end() ? std::nullopt : std::optional(found->second);
}

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

/// The time until node pod CIDRs overlap; empty if pod CIDRs do not matter.
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

/// A finding about the unlisted pairs of a group; `first` is a listed pair.
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

namespace {

using effective::Provider;

/// Part of a remedy that applies to IPv4 only.
constexpr std::string_view kProposals = " (`--propose N --domain NETWORK` names free ranges)";

/// The manifest to change, preferably a candidate's; null if all shoots exist, or if no change is
/// needed.
const End* manifest_to_change(const Overlap& overlap) {
  if (overlap.impact.severity == Severity::Note) return nullptr;
  const End* found = nullptr;
  for (const End* end : {&overlap.b, &overlap.a})
    if (!end->created && (found == nullptr || end->candidate || !found->candidate)) found = end;
  return found;
}

bool is_seeds(Role role) {
  return role == Role::SeedPods || role == Role::SeedNodes || role == Role::SeedServices;
}

std::string change_of(const End& end, const Overlap& overlap) {
  const bool has_proposals =
      end.cidr.is_ipv4() && (end.role == Role::Pods || end.role == Role::Services);
  return fmt::format("before {} is applied, {} its {} at {}{}{}", end.owner,
                     end.assumed ? "name" : "change", to_string(end.role), end.place.to_string(),
                     has_proposals ? kProposals : "",
                     is_seeds(overlap.b.role) ? ", or choose another seed" : "");
}

constexpr std::string_view kOverlayKey = "spec.networking.providerConfig.overlay.enabled: true";

/// The workaround for contested routes: a tunnel needs none of them. But after a change of mode,
/// old routes remain, and running pods keep their MTU.
std::string workaround(const Overlap& overlap, bool are_many) {
  if (!overlap.intersection.is_ipv4())
    return ". There is no workaround: an overlay carries IPv4 only";
  const provider::Profile& profile = provider::profile_of(overlap.provider);
  if (!profile.routes.follow_overlay && profile.routes.has_system_table) {
    const bool has_one =
        is_overlay(overlap.a.dataplane_mode) || is_overlay(overlap.b.dataplane_mode);
    return fmt::format(
        ". Until then give {} an overlay ({}) and restart the pods, whose MTU is too large for it. "
        "The controller still writes routes and restores deleted ones, but the nodes do not need "
        "them",
        has_one    ? "the routed one"
        : are_many ? "all of them"
                   : "both",
        kOverlayKey);
  }
  const bool may_refuse = !profile.admission.calico_overlay_refused_by.empty();
  return fmt::format(
      ". Until then give {} an overlay ({}{}), delete the routes that it leaves behind, and "
      "restart its pods, whose MTU is too large for the tunnel",
      are_many ? "as many" : "one", kOverlayKey,
      may_refuse ? "; with calico only newer releases of the provider accept it" : "");
}

}  // namespace

std::string advice(const Overlap& overlap, std::uint64_t shoots) {
  if (const End* end = manifest_to_change(overlap)) return change_of(*end, overlap);
  std::string text(overlap.impact.rule->remedy);
  if (const auto at = text.find(kProposals); at != text.npos && !overlap.intersection.is_ipv4())
    text.erase(at, kProposals.size());
  if (overlap.impact.rule->id != kContested) return text;
  if (shoots > 2)
    text = "re-create shoots with other pods until no two overlap (--plan lists them)";
  return text + workaround(overlap, shoots > 2);
}

}  // namespace overlane::overlap
