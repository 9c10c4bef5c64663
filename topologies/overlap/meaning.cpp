#include "topologies/overlap/meaning.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace overlane::overlap {
namespace {

using effective::Provider;

bool is_routed(const Side& side) {
  return side.carriage == Carriage::Routed || side.carriage == Carriage::ByInterface;
}

std::string_view pods_and_pods(const Side& a, const Side& b, Meeting meeting) {
  const bool both = is_routed(a) && is_routed(b);
  const bool neither = !is_routed(a) && !is_routed(b);
  switch (meeting) {
    case Meeting::OneRouteList:
      return both      ? "overlap-routes-contested"
             : neither ? "overlap-hidden-by-overlay"
                       : "overlap-routes-capture-overlay";
    case Meeting::OneNetwork:
      return both      ? "overlap-between-clusters"
             : neither ? "overlap-hidden-by-overlay"
                       : "overlap-tables-of-their-own";
    case Meeting::Connected:
      return "overlap-not-announced";
    case Meeting::ConnectedForPods:
      return both ? "overlap-announced-twice" : "overlap-hidden-by-overlay";
  }
  return {};
}

bool is_connected(Meeting meeting) {
  return meeting == Meeting::Connected || meeting == Meeting::ConnectedForPods;
}

/// Of machines' ranges the outermost meet across a connection, and the innermost in one network:
/// the others repeat what these say. What is declared of a network is what its subnets lie in.
std::string_view hosts_and_hosts(const Side& a, const Side& b, Meeting meeting) {
  if (is_connected(meeting)) return a.outer && b.outer ? "overlap-hosts-beyond-connection" : "";
  const auto is_frame = [](const Side& side) {
    return side.role == Role::Vpc || side.role == Role::Declared;
  };
  if (is_frame(a) || is_frame(b)) return "";
  return a.inner && b.inner ? "overlap-hosts-collide" : "overlap-nodes-divided";
}

std::string_view rule_of(const Side& a, const Side& b, Meeting meeting) {
  if (has_hosts(a.role)) return hosts_and_hosts(a, b, meeting);
  if (a.role == Role::Pods) {
    if (b.role == Role::Pods) return pods_and_pods(a, b, meeting);
    if (b.role == Role::Services) return "overlap-services-hide-pods";
    if (is_connected(meeting) && !b.outer) return "";
    return is_routed(a) ? "overlap-routes-over-hosts" : "overlap-pods-hide-hosts";
  }
  if (b.role == Role::Services) return "overlap-services-repeated";
  return is_connected(meeting) && !b.outer ? "" : "overlap-services-hide-hosts";
}

int rank(Role role) {
  return role == Role::Pods ? 0 : role == Role::Services ? 1 : 2;
}

struct ConsequenceRow {
  std::string_view rule;
  Provider provider;  ///< Other: every one without a row of its own.
  std::string_view text;
};

constexpr ConsequenceRow kConsequences[] = {
    {"overlap-routes-contested", Provider::Gcp,
     "both route controllers write routes of priority 1000 into the one VPC network: for each "
     "slice "
     "that both have handed out there are two next hops, and packets go to a node of {first} or of "
     "{second} by their hash"},
    {"overlap-routes-contested", Provider::OpenStack,
     "each cloud-controller-manager takes the other's routes on the router for black holes and "
     "deletes them, every 10 seconds, in turn: pods of {first} and {second} lose their traffic and "
     "Neutron gets calls without end"},
    {"overlap-routes-contested", Provider::AliCloud,
     "the VPC's system table holds one entry for a destination: the later of {first} and {second} "
     "to hand out a slice gets no route or takes the other's, and its controller deletes what it "
     "does not know inside its own pods"},
    {"overlap-routes-contested", Provider::Aws,
     "both aws-custom-route-controllers write into the shared route table, and each deletes the "
     "other's routes inside its own pods: pods of {first} and {second} lose their traffic in turn"},
    {"overlap-routes-contested", Provider::Azure,
     "both route controllers replace the whole shared route table, each without the other's routes "
     "inside its own pods: pods of {first} and {second} lose their traffic in turn"},
    {"overlap-routes-contested", Provider::Other,
     "both write routes for the same pods into one list: packets for {first} reach {second}, or "
     "nobody"},
    {"overlap-routes-capture-overlay", Provider::Other,
     "inside the overlay all is well; what comes from outside to a pod address of the shoot with "
     "the overlay follows the other's route and lands there ({first}, {second})"},
    {"overlap-hidden-by-overlay", Provider::Other,
     "the network sees nodes only, so that {first} and {second} do not meet while the overlay "
     "stays"},
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
     "GCP refuses a route inside a subnet's range: nodes of {first} whose slice lies in the range "
     "of {second} stay NoRouteCreated, and their pods are reached by nobody on another node"},
    {"overlap-routes-over-hosts", Provider::Other,
     "routes to pods of {first} are longer than the route to {second}: packets for hosts there go "
     "to a node of {first} and are lost"},
    {"overlap-pods-hide-hosts", Provider::Other,
     "nodes of {first} take addresses of {second} for pods of their own: pods of {first} cannot "
     "reach these hosts"},
    {"overlap-services-hide-hosts", Provider::Other,
     "nodes of {first} take addresses of {second} for Services: where there is one, its pods "
     "answer instead of the host"},
    {"overlap-services-hide-pods", Provider::Other,
     "clients on one side take the pod's address for a Service of their own cluster ({first}, "
     "{second})"},
    {"overlap-services-repeated", Provider::Other,
     "the addresses of Services mean something on their own cluster's nodes only"},
    {"overlap-hosts-collide", Provider::Other,
     "the network has room for one of these subnets: the infrastructure of the later of {first} "
     "and {second} fails, or machines get addresses twice"},
    {"overlap-nodes-divided", Provider::Other,
     "{first} and {second} name the same nodes' range but have subnets of their own in it"},
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
    {"overlap-landscape-reserved", Provider::Other,
     "{first} is cut off from what the landscape runs there"},
};

}  // namespace

Side side_of(const Range& range) {
  return {range.role, range.carriage, range.assumed, range.inner, range.outer};
}

bool names_first(Role a, Role b) {
  return rank(a) < rank(b);
}

std::optional<Meaning> meaning_of(const Side& a, const Side& b, Relation relation) {
  const std::string_view id = names_first(b.role, a.role) ? rule_of(b, a, relation.meeting)
                                                          : rule_of(a, b, relation.meeting);
  if (id.empty()) return std::nullopt;
  Meaning meaning{.rule = &rule(id), .severity = rule(id).severity};
  if (a.assumed || b.assumed || !relation.sure)
    meaning.severity = std::min(meaning.severity, Severity::Warning);
  return meaning;
}

std::string consequence(const effective::Rule& rule, Provider provider, Names names,
                        Relation relation) {
  const ConsequenceRow* row = nullptr;
  for (const ConsequenceRow& candidate : kConsequences) {
    if (candidate.rule != rule.id) continue;
    if (candidate.provider == provider || candidate.provider == Provider::Other) row = &candidate;
    if (candidate.provider == provider) break;
  }
  if (row == nullptr) return "";
  std::string text = fmt::format(fmt::runtime(row->text), fmt::arg("first", names.first),
                                 fmt::arg("second", names.second));
  if (!relation.sure) text += is_connected(relation.meeting) ? "" : ", if both are in one network";
  return text;
}

}  // namespace overlane::overlap
