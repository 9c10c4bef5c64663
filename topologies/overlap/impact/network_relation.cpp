#include "topologies/overlap/impact/network_relation.h"

#include <algorithm>

namespace overlane::overlap {
namespace {

using effective::Provider;

Part part_of(const Side& side) {
  return overlap::part_of(side.role, side.dataplane_mode);
}

std::string_view pods_and_pods(const Side& a, const Side& b, NetworkRelation meeting) {
  const bool both = is_routed(a.dataplane_mode) && is_routed(b.dataplane_mode);
  const bool neither = is_overlay(a.dataplane_mode) && is_overlay(b.dataplane_mode);
  switch (meeting) {
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

/// Of machines' ranges the outermost meet across a connection, as they meet pods and services, and
/// the innermost in one network: the others repeat what these say. What is declared of a network is
/// what its subnets lie in.
std::string_view hosts_and_hosts(const Side& a, const Side& b, NetworkRelation meeting) {
  if (is_connected(meeting)) return a.outer && b.outer ? "overlap-hosts-beyond-connection" : "";
  const auto is_frame = [](const Side& side) {
    return side.role == Role::Vpc || side.role == Role::Declared;
  };
  if (is_frame(a) || is_frame(b)) return "";
  if (a.inner && b.inner) return "overlap-hosts-collide";
  return a.role == Role::Nodes && b.role == Role::Nodes ? "overlap-nodes-divided" : "";
}

/// `a` is the one whose part comes first.
std::string_view rule_of(const Side& a, const Side& b, NetworkRelation meeting) {
  switch (part_of(a)) {
    case Part::Pods:
      if (part_of(b) == Part::Pods) return pods_and_pods(a, b, meeting);
      if (part_of(b) == Part::Services) return "overlap-services-hide-pods";
      if (!b.outer) return "";
      return has_routes(a.dataplane_mode) ? "overlap-routes-over-hosts" : "overlap-pods-hide-hosts";
    case Part::Services:
      if (part_of(b) == Part::Services) return "overlap-services-repeated";
      return b.outer ? "overlap-services-hide-hosts" : "";
    case Part::Hosts:
      return hosts_and_hosts(a, b, meeting);
  }
  return "";
}

}  // namespace

Side side_of(const Range& range) {
  return {range.role, range.dataplane_mode, range.assumed, range.inner, range.outer};
}

Part part_of(Role role, DataplaneMode dataplane_mode) {
  if (role == Role::Services) return Part::Services;
  return role == Role::Pods && dataplane_mode != DataplaneMode::ByInterface ? Part::Pods
                                                                            : Part::Hosts;
}

std::optional<Impact> impact_of(const Side& a, const Side& b, Relation relation,
                                Provider provider) {
  const auto told = [&](NetworkRelation meeting) {
    return part_of(b) < part_of(a) ? rule_of(b, a, meeting) : rule_of(a, b, meeting);
  };
  const std::string_view id = told(relation.meeting);
  if (id.empty()) return std::nullopt;
  Impact impact{.rule = &rule(id), .severity = rule(id).severity};
  // Whether a list of routes is shared does not matter to what is the same without it.
  impact.sure = relation.sure || (relation.network_sure && told(NetworkRelation::OneNetwork) == id);
  // GCP keeps the routes of both, and each shoot's own pods need none of them: as with lists of
  // their own only others miss the pods.
  const bool only_others_miss =
      id == kContested && provider::profile_of(provider).routes.shared.keeps_both &&
      needs_no_routes(a.dataplane_mode) && needs_no_routes(b.dataplane_mode);
  if (a.assumed || b.assumed || !impact.sure || only_others_miss)
    impact.severity = std::min(impact.severity, Severity::Warning);
  return impact;
}

}  // namespace overlane::overlap
