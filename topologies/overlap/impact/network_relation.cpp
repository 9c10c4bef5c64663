#include "topologies/overlap/impact/network_relation.h"

#include <algorithm>

namespace overlane::overlap {
namespace {

using effective::Provider;

Part part_of(const Side& side) {
  return overlap::part_of(side.role, side.carriage);
}

std::string_view pods_and_pods(const Side& a, const Side& b, Meeting meeting) {
  const bool both = is_routed(a.carriage) && is_routed(b.carriage);
  const bool neither = is_overlay(a.carriage) && is_overlay(b.carriage);
  switch (meeting) {
    case Meeting::OneRouteList:
      if (neither) return "overlap-hidden-by-overlay";
      return has_routes(a.carriage) && has_routes(b.carriage) ? kContested
                                                              : "overlap-routes-capture-overlay";
    case Meeting::OneNetwork:
      return both      ? "overlap-between-clusters"
             : neither ? "overlap-hidden-by-overlay"
                       : "overlap-tables-of-their-own";
    case Meeting::Connected:
      return "overlap-not-announced";
    case Meeting::ConnectedForPods:
      return both      ? "overlap-announced-twice"
             : neither ? "overlap-hidden-by-overlay"
                       : "overlap-routes-capture-overlay";
  }
  return {};
}

/// Of machines' ranges the outermost meet across a connection, as they meet pods and services, and
/// the innermost in one network: the others repeat what these say. What is declared of a network is
/// what its subnets lie in.
std::string_view hosts_and_hosts(const Side& a, const Side& b, Meeting meeting) {
  if (is_connected(meeting)) return a.outer && b.outer ? "overlap-hosts-beyond-connection" : "";
  const auto is_frame = [](const Side& side) {
    return side.role == Role::Vpc || side.role == Role::Declared;
  };
  if (is_frame(a) || is_frame(b)) return "";
  if (a.inner && b.inner) return "overlap-hosts-collide";
  return a.role == Role::Nodes && b.role == Role::Nodes ? "overlap-nodes-divided" : "";
}

/// `a` is the one whose part comes first.
std::string_view rule_of(const Side& a, const Side& b, Meeting meeting) {
  switch (part_of(a)) {
    case Part::Pods:
      if (part_of(b) == Part::Pods) return pods_and_pods(a, b, meeting);
      if (part_of(b) == Part::Services) return "overlap-services-hide-pods";
      if (!b.outer) return "";
      return has_routes(a.carriage) ? "overlap-routes-over-hosts" : "overlap-pods-hide-hosts";
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
  return {range.role, range.carriage, range.assumed, range.inner, range.outer};
}

Part part_of(Role role, Carriage carriage) {
  if (role == Role::Services) return Part::Services;
  return role == Role::Pods && carriage != Carriage::ByInterface ? Part::Pods : Part::Hosts;
}

std::optional<Meaning> meaning_of(const Side& a, const Side& b, Relation relation,
                                  Provider provider) {
  const auto told = [&](Meeting meeting) {
    return part_of(b) < part_of(a) ? rule_of(b, a, meeting) : rule_of(a, b, meeting);
  };
  const std::string_view id = told(relation.meeting);
  if (id.empty()) return std::nullopt;
  Meaning meaning{.rule = &rule(id), .severity = rule(id).severity};
  // Whether a list of routes is shared does not matter to what is the same without it.
  meaning.sure = relation.sure || (relation.network_sure && told(Meeting::OneNetwork) == id);
  // GCP keeps the routes of both, and each shoot's own pods need none of them: as with lists of
  // their own only others miss the pods.
  const bool only_others_miss = id == kContested && provider == Provider::Gcp &&
                                needs_no_routes(a.carriage) && needs_no_routes(b.carriage);
  if (a.assumed || b.assumed || !meaning.sure || only_others_miss)
    meaning.severity = std::min(meaning.severity, Severity::Warning);
  return meaning;
}

}  // namespace overlane::overlap
