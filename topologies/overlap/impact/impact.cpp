#include "topologies/overlap/impact/impact.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace overlane::overlap {
namespace {

using effective::Provider;

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
     "pod CIDR that both have allocated there are two next hops, and packets go to a node of "
     "{first} "
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
std::string spared(const RangeOwner& first, const RangeOwner& second) {
  const bool of_first = needs_no_routes(first.dataplane_mode);
  const bool of_second = needs_no_routes(second.dataplane_mode);
  if (!of_first && !of_second) return "";
  return fmt::format(", but for those between pods of {}, whose nodes need no route for them",
                     of_first && of_second ? "one shoot" : (of_first ? first : second).name);
}

}  // namespace

std::string consequence(const Impact& impact, const Relation& relation, Provider provider,
                        RangeOwner first, RangeOwner second) {
  const auto holds = [&](const ConsequenceRow& row) {
    return row.rule == impact.rule->id &&
           (row.provider == provider || row.provider == Provider::Other) &&
           (row.where == Where::Anywhere || !is_connected(relation.meeting)) &&
           (row.where != Where::InRouteList || relation.meeting == NetworkRelation::OneRouteTable);
  };
  const auto* row = std::ranges::find_if(kConsequences, holds);
  if (row == std::end(kConsequences)) return "";
  if (part_of(second.role, second.dataplane_mode) < part_of(first.role, first.dataplane_mode))
    std::swap(first, second);
  // What somebody declares has a purpose for a name: "data centre Frankfurt".
  for (RangeOwner* owner : {&first, &second})
    if (owner->role == Role::Declared) owner->name = '"' + owner->name + '"';
  const bool overlay_first = is_overlay(first.dataplane_mode);
  std::string text = fmt::format(fmt::runtime(row->text), fmt::arg("first", first.name),
                                 fmt::arg("second", second.name),
                                 fmt::arg("overlay", overlay_first ? first.name : second.name),
                                 fmt::arg("routed", overlay_first ? second.name : first.name),
                                 fmt::arg("spared", spared(first, second)));
  if (!impact.sure)
    text += is_connected(relation.meeting) ? ", if the connection joins their networks"
            : relation.network_sure        ? ", if they share a table"
                                           : ", if both are in one network";
  return text;
}

}  // namespace overlane::overlap
