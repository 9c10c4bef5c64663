#include "topologies/overlap/impact/network_relation.h"

#include <algorithm>

namespace overlane::overlap {
namespace {

using effective::Provider;

Part part_of(const Side& side) {
  return overlap::part_of(side.role, side.dataplane_mode);
}

std::string_view pod_rule(const Side& a, const Side& b, NetworkRelation network_relation) {
  const bool both = is_routed(a.dataplane_mode) && is_routed(b.dataplane_mode);
  const bool neither = is_overlay(a.dataplane_mode) && is_overlay(b.dataplane_mode);
  switch (network_relation) {
    case NetworkRelation::OneRouteTable:
      if (neither) return "overlap-hidden-by-overlay";
      return has_routes(a.dataplane_mode) && has_routes(b.dataplane_mode)
                 ? kContested
                 : "overlap-routes-capture-overlay";
    case NetworkRelation::OneNetwork:
      return both      ? "overlap-between-clusters"
             : neither ? "overlap-hidden-by-overlay"
                       : "overlap-tables-of-their-own";
    case NetworkRelation::Connected:
      return "overlap-not-announced";
    case NetworkRelation::ConnectedForPods:
      return both      ? "overlap-announced-twice"
             : neither ? "overlap-hidden-by-overlay"
                       : "overlap-routes-capture-overlay";
  }
  return {};
}

/// Compares the outermost ranges across a connection and the innermost in one network: other pairs
/// repeat the same overlap. Declared ranges of a network contain its subnets.
std::string_view infrastructure_rule(const Side& a, const Side& b,
                                     NetworkRelation network_relation) {
  if (is_connected(network_relation))
    return a.outer && b.outer ? "overlap-hosts-beyond-connection" : "";
  const auto is_frame = [](const Side& side) {
    return side.role == Role::Vpc || side.role == Role::Declared;
  };
  if (is_frame(a) || is_frame(b)) return "";
  if (a.inner && b.inner) return "overlap-hosts-collide";
  return a.role == Role::Nodes && b.role == Role::Nodes ? "overlap-nodes-divided" : "";
}

/// `a` is the side with the lower Part.
std::string_view rule_of(const Side& a, const Side& b, NetworkRelation network_relation) {
  switch (part_of(a)) {
    case Part::Pods:
      if (part_of(b) == Part::Pods) return pod_rule(a, b, network_relation);
      if (part_of(b) == Part::Services) return "overlap-services-hide-pods";
      if (!b.outer) return "";
      return has_routes(a.dataplane_mode) ? "overlap-routes-over-hosts" : "overlap-pods-hide-hosts";
    case Part::Services:
      if (part_of(b) == Part::Services) return "overlap-services-repeated";
      return b.outer ? "overlap-services-hide-hosts" : "";
    case Part::Infrastructure:
      return infrastructure_rule(a, b, network_relation);
  }
  return "";
}

}  // namespace

Side side_of(const Range& range) {
  return {range.role,  range.dataplane_mode, range.assumed,
          range.inner, range.outer,          routes_missing(range)};
}

bool needs_routes(const rules::Rule& rule) {
  return rule.id.starts_with("overlap-routes-");
}

Part part_of(Role role, DataplaneMode dataplane_mode) {
  if (role == Role::Services) return Part::Services;
  return role == Role::Pods && dataplane_mode != DataplaneMode::ByInterface ? Part::Pods
                                                                            : Part::Infrastructure;
}

std::optional<Impact> impact_of(const Side& a, const Side& b, Relation relation,
                                Provider provider) {
  const auto rule_for = [&](NetworkRelation network_relation) {
    return part_of(b) < part_of(a) ? rule_of(b, a, network_relation)
                                   : rule_of(a, b, network_relation);
  };
  const std::string_view id = rule_for(relation.network_relation);
  if (id.empty()) return std::nullopt;
  Impact impact{.rule = &rule(id), .severity = rule(id).severity};
  // The rule does not depend on the route table if it is the same without one.
  impact.sure =
      relation.sure || (relation.network_sure && rule_for(NetworkRelation::OneNetwork) == id);
  // GCP keeps the routes of both shoots, and their own nodes need none of them: only traffic from
  // elsewhere is affected, as with separate route tables.
  const bool only_others_affected =
      id == kContested && provider::profile_of(provider).routes.shared.keeps_both &&
      needs_no_routes(a.dataplane_mode) && needs_no_routes(b.dataplane_mode);
  const bool waits_for_routes =
      (a.routes_missing || b.routes_missing) && needs_routes(*impact.rule);
  if (a.assumed || b.assumed || !impact.sure || only_others_affected || waits_for_routes)
    impact.severity = std::min(impact.severity, Severity::Warning);
  return impact;
}

}  // namespace overlane::overlap
