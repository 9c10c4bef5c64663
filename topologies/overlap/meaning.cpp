#include "topologies/overlap/meaning.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

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

bool is_connected(Meeting meeting) {
  return meeting == Meeting::Connected || meeting == Meeting::ConnectedForPods;
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

struct FaultRow {
  std::string_view rule;
  std::string_view text;
};

constexpr FaultRow kFaults[] = {
    {"overlap-routes-contested", "Shoots with the same pods write their routes into one list"},
    {"overlap-routes-capture-overlay",
     "Routes to a routed shoot's pods lead to addresses that one with an overlay has, too"},
    {"overlap-hidden-by-overlay", "Shoots with overlays have the same pods"},
    {"overlap-between-clusters",
     "Routed shoots of one network have the same pods, each in routes of its own"},
    {"overlap-tables-of-their-own",
     "A routed shoot and one with an overlay have the same pods, in routes of their own"},
    {"overlap-announced-twice", "The same pods are announced twice over a connection"},
    {"overlap-not-announced",
     "The same pods are on both sides of a connection, announced by nobody"},
    {"overlap-routes-over-hosts", "Routed pods lie over addresses of hosts"},
    {"overlap-pods-hide-hosts", "Pods behind an overlay lie over addresses of hosts"},
    {"overlap-services-hide-hosts", "Services lie over addresses of hosts"},
    {"overlap-services-hide-pods", "Services lie over another shoot's pods"},
    {"overlap-services-repeated", "Shoots have the same services"},
    {"overlap-hosts-collide",
     "Two subnets of one network, or ranges in them for pods, have the same addresses"},
    {"overlap-nodes-divided", "Shoots name the same nodes; their machines are in subnets of it"},
    {"overlap-hosts-beyond-connection",
     "Hosts on both sides of a connection have the same addresses"},
    {"overlap-in-shoot", "A shoot's own ranges overlap"},
    {"overlap-with-seed", "A shoot has IPv4 ranges of its seed"},
    {"overlap-with-seed-ipv6", "A shoot has IPv6 ranges of its seed"},
    {"overlap-gardener-reserved", "A shoot has ranges that Gardener keeps for its VPN"},
    {"overlap-cloud-services", "A shoot's pods lie over services of the cloud itself"},
    {"overlap-landscape-reserved", "A shoot has ranges that the landscape's operator keeps"},
    {"domain-route-quota-by-minimum", "More routes are needed than the list may hold"},
    {"domain-route-quota-by-maximum", "More routes may be needed than the list may hold"},
};

/// Where a row's text holds.
enum class Where : std::uint8_t { Anywhere, InNetwork, InRouteList };

struct ConsequenceRow {
  std::string_view rule;
  Provider provider;  ///< Other: every one without a row of its own.
  std::string_view text;
  Where where = Where::Anywhere;  ///< Rows for a place stand before those for any.
};

constexpr ConsequenceRow kConsequences[] = {
    {"overlap-routes-contested", Provider::Gcp,
     "both route controllers write routes of priority 1000 into the one VPC network: for each "
     "slice that both have handed out there are two next hops, and packets go to a node of {first} "
     "or of {second} by their hash{spared}"},
    {"overlap-routes-contested", Provider::OpenStack,
     "each cloud-controller-manager takes the other's routes on the router for black holes and "
     "deletes them, every 10 seconds, in turn: Neutron gets calls without end, and packets for "
     "pods of {first} and {second} are lost in turn{spared}"},
    {"overlap-routes-contested", Provider::AliCloud,
     "the VPC's system table holds one entry for a destination: of nodes of {first} and {second} "
     "with one slice the later stays NoRouteCreated, and packets for its pods go to the "
     "other{spared}; controllers write routes beside an overlay, too, which helps only its own "
     "shoot"},
    {"overlap-routes-contested", Provider::Aws,
     "both aws-custom-route-controllers write into the shared route table, and each deletes the "
     "other's routes inside its own pods: packets for pods of {first} and {second} there are lost "
     "in turn{spared}"},
    {"overlap-routes-contested", Provider::Azure,
     "both route controllers replace the whole shared route table, each without the other's routes "
     "inside its own pods: packets for pods of {first} and {second} there are lost in "
     "turn{spared}"},
    {"overlap-routes-contested", Provider::Other,
     "both write routes for the same pods into one list: packets for {first} reach {second}, or "
     "nobody{spared}"},
    {"overlap-routes-capture-overlay", Provider::Other,
     "inside each shoot all is well. But nodes of {overlay} take the addresses for pods of their "
     "own, so that its pods do not reach those of {routed}, and answers to pods of {overlay} that "
     "were not masqueraded land at {routed}"},
    {"overlap-hidden-by-overlay", Provider::AliCloud,
     "the tunnels hide the pods of {first} and {second} from each other, but on this provider the "
     "controllers write routes all the same: of nodes with one slice the later stays "
     "NoRouteCreated until its calico-node says that the network is up",
     Where::InRouteList},
    {"overlap-hidden-by-overlay", Provider::Other,
     "the network sees nodes only, so that {first} and {second} do not meet while the overlay "
     "stays"},
    {"overlap-between-clusters", Provider::Local,
     "each of {first} and {second} works by itself, by routes on its own nodes; pods of one do not "
     "reach the other's"},
    {"overlap-between-clusters", Provider::Other,
     "each of {first} and {second} works by itself, by route tables of its own; pods of one do not "
     "reach the other's, and hosts of the network reach one of the two or neither"},
    {"overlap-tables-of-their-own", Provider::Other,
     "the routes stand in the routed shoot's tables only: {first} and {second} do not meet"},
    {"overlap-announced-twice", Provider::Other,
     "the same destination is announced by {first} and by {second}: one route wins, and packets "
     "for the other's pods go astray"},
    {"overlap-not-announced", Provider::Other,
     "no routes to pods cross the connection: {first} and {second} do not meet"},
    {"overlap-routes-over-hosts", Provider::Gcp,
     "GCP refuses a route inside a subnet's range: nodes of {first} whose slice lies in addresses "
     "of {second} stay NoRouteCreated, and packets for their pods from other nodes are "
     "lost{spared}",
     Where::InNetwork},
    {"overlap-routes-over-hosts", Provider::Aws,
     "AWS refuses a route inside the VPC's own ranges that is not exactly a subnet's: nodes of "
     "{first} whose slice lies in addresses of {second} stay NoRouteCreated, and packets for their "
     "pods from other nodes are lost{spared}",
     Where::InNetwork},
    {"overlap-routes-over-hosts", Provider::Other,
     "routes to pods of {first} are at least as specific as the one to addresses of {second}: "
     "packets for hosts there go to a node of {first} and are lost"},
    {"overlap-pods-hide-hosts", Provider::Other,
     "nodes of {first} take addresses of {second} for pods of their own, now or when they come to "
     "such slices, and masquerade no packet to them: pods of {first} cannot reach these hosts, or "
     "never hear their answers"},
    {"overlap-services-hide-hosts", Provider::Other,
     "nodes of {first} take addresses of {second} for Services: where there is one, its pods "
     "answer instead of the host"},
    {"overlap-services-hide-pods", Provider::Other,
     "clients in {second} take addresses of {first}'s pods for Services of their own cluster, "
     "where there are any"},
    {"overlap-services-repeated", Provider::Other,
     "the addresses of Services mean something on their own cluster's nodes only"},
    {"overlap-hosts-collide", Provider::Gcp,
     "GCP takes no range of a subnet, nor a secondary one for pods, that lies over another one of "
     "the network: the infrastructure of the later of {first} and {second} fails"},
    {"overlap-hosts-collide", Provider::Other,
     "the network has room for one of these subnets: the infrastructure of the later of {first} "
     "and {second} fails, or machines get addresses twice"},
    {"overlap-nodes-divided", Provider::Other,
     "machines of {first} and {second} get their addresses from subnets in the range that both "
     "name, which are disjoint or one and the same"},
    {"overlap-hosts-beyond-connection", Provider::Other,
     "packets for these addresses stay on the sender's side of the connection: machines of {first} "
     "and of {second} cannot reach each other"},
    {"overlap-in-shoot", Provider::Other,
     "on the shoot's nodes an address of both means one thing only: pods, nodes or Services there "
     "cannot be reached"},
    {"overlap-with-seed", Provider::Other, "the VPN between seed and shoot maps both ranges"},
    {"overlap-with-seed-ipv6", Provider::Other,
     "the shoot is not scheduled onto this seed: the VPN maps IPv4 only"},
    {"overlap-gardener-reserved", Provider::Other,
     "Gardener refuses {first} when it is scheduled: the VPN uses the range for itself"},
    {"overlap-cloud-services", Provider::Other,
     "the network extension masquerades nothing inside {first}'s pods, and the cloud does not "
     "answer a pod's address: pods of {first} reach none of its services there, and CoreDNS "
     "resolves no name outside the cluster"},
    {"overlap-landscape-reserved", Provider::Other,
     "{first} is cut off from what the landscape runs there"},
};

/// Whose packets contested routes do not hurt.
std::string spared(const Owner& first, const Owner& second) {
  const bool of_first = needs_no_routes(first.carriage);
  const bool of_second = needs_no_routes(second.carriage);
  if (!of_first && !of_second) return "";
  return fmt::format(", but for those between pods of {}, whose nodes need no route for them",
                     of_first && of_second ? "one shoot" : (of_first ? first : second).name);
}

}  // namespace

Side side_of(const Range& range) {
  return {range.role, range.carriage, range.assumed, range.inner, range.outer};
}

Part part_of(Role role, Carriage carriage) {
  if (role == Role::Services) return Part::Services;
  return role == Role::Pods && carriage != Carriage::ByInterface ? Part::Pods : Part::Hosts;
}

std::string_view fault(const effective::Rule& rule) {
  const auto* row = std::ranges::find(kFaults, rule.id, &FaultRow::rule);
  return row == std::end(kFaults) ? rule.title : row->text;
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

std::string consequence(const effective::Rule& rule, Provider provider, const Owners& owners,
                        Relation relation) {
  const auto holds = [&](const ConsequenceRow& row) {
    return row.rule == rule.id && (row.provider == provider || row.provider == Provider::Other) &&
           (row.where == Where::Anywhere || !is_connected(relation.meeting)) &&
           (row.where != Where::InRouteList || relation.meeting == Meeting::OneRouteList);
  };
  const auto* row = std::ranges::find_if(kConsequences, holds);
  if (row == std::end(kConsequences)) return "";
  const auto& [first, second] = owners;
  const bool overlay_first = is_overlay(first.carriage);
  std::string text = fmt::format(fmt::runtime(row->text), fmt::arg("first", first.name),
                                 fmt::arg("second", second.name),
                                 fmt::arg("overlay", overlay_first ? first.name : second.name),
                                 fmt::arg("routed", overlay_first ? second.name : first.name),
                                 fmt::arg("spared", spared(first, second)));
  if (!relation.sure)
    text += is_connected(relation.meeting) ? ", if the connection joins their networks"
            : relation.network_sure        ? ", if they share a table"
                                           : ", if both are in one network";
  return text;
}

}  // namespace overlane::overlap
