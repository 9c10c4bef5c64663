#include "topologies/overlap/impact/impact.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace overlane::overlap {
namespace {

using effective::Provider;
using provider::Consequences;

/// Where a provider's own text holds.
enum class Where : std::uint8_t { Anywhere, InNetwork, InRouteList };

struct ConsequenceRow {
  std::string_view rule;
  std::string_view text;
  std::string_view Consequences::*own = nullptr;  ///< What a provider's profile says instead …
  Where where = Where::Anywhere;                  ///< … and where that holds.
};

constexpr ConsequenceRow kConsequences[] = {
    {"overlap-routes-contested",
     "both write routes for the same pods into one list: packets for {first} reach {second}, or "
     "nobody{spared}",
     &Consequences::routes_contested},
    {"overlap-routes-capture-overlay",
     "inside each shoot all is well. But nodes of {overlay} take the addresses for pods of their "
     "own, so that its pods do not reach those of {routed}, and answers to pods of {overlay} that "
     "were not masqueraded land at {routed}"},
    {"overlap-hidden-by-overlay",
     "the network sees nodes only, so that {first} and {second} do not meet while the overlay "
     "stays",
     &Consequences::hidden_by_overlay, Where::InRouteList},
    {"overlap-between-clusters",
     "each of {first} and {second} works by itself, by route tables of its own; pods of one do not "
     "reach the other's, and hosts of the network reach one of the two or neither",
     &Consequences::between_clusters},
    {"overlap-tables-of-their-own",
     "the routes stand in the routed shoot's tables only: {first} and {second} do not meet"},
    {"overlap-announced-twice",
     "the same destination is announced by {first} and by {second}: one route wins, and packets "
     "for the other's pods go astray"},
    {"overlap-not-announced",
     "no routes to pods cross the connection: {first} and {second} do not meet"},
    {"overlap-routes-over-hosts",
     "routes to pods of {first} are at least as specific as the one to addresses of {second}: "
     "packets for hosts there go to a node of {first} and are lost",
     &Consequences::routes_over_hosts, Where::InNetwork},
    {"overlap-pods-hide-hosts",
     "nodes of {first} take addresses of {second} for pods of their own, now or when they come to "
     "such pod CIDRs, and masquerade no packet to them: pods of {first} cannot reach these hosts, "
     "or "
     "never hear their answers"},
    {"overlap-services-hide-hosts",
     "nodes of {first} take addresses of {second} for Services: where there is one, its pods "
     "answer instead of the host"},
    {"overlap-services-hide-pods",
     "clients in {second} take addresses of {first}'s pods for Services of their own cluster, "
     "where there are any"},
    {"overlap-services-repeated",
     "the addresses of Services mean something on their own cluster's nodes only"},
    {"overlap-hosts-collide",
     "the network has room for one of these subnets: the infrastructure of the later of {first} "
     "and {second} fails, or machines get addresses twice",
     &Consequences::hosts_collide},
    {"overlap-nodes-divided",
     "machines of {first} and {second} get their addresses from subnets in the range that both "
     "name, which are disjoint or one and the same"},
    {"overlap-hosts-beyond-connection",
     "packets for these addresses stay on the sender's side of the connection: machines of {first} "
     "and of {second} cannot reach each other"},
    {"overlap-in-shoot",
     "on the shoot's nodes an address of both means one thing only: pods, nodes or Services there "
     "cannot be reached"},
    {"overlap-with-seed", "the VPN between seed and shoot maps both ranges"},
    {"overlap-with-seed-ipv6", "the shoot is not scheduled onto this seed: the VPN maps IPv4 only"},
    {"overlap-gardener-reserved",
     "Gardener refuses {first} when it is scheduled: the VPN uses the range for itself"},
    {"overlap-cloud-services",
     "the network extension masquerades nothing inside {first}'s pods, and the cloud does not "
     "answer a pod's address: pods of {first} reach none of its services there, and CoreDNS "
     "resolves no name outside the cluster"},
    {"overlap-landscape-reserved", "{first} is cut off from what the landscape runs there"},
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
  const auto* row = std::ranges::find(kConsequences, impact.rule->id, &ConsequenceRow::rule);
  if (row == std::end(kConsequences)) return "";
  const bool own_holds =
      (row->where == Where::Anywhere || !is_connected(relation.meeting)) &&
      (row->where != Where::InRouteList || relation.meeting == NetworkRelation::OneRouteTable);
  const std::string_view own = row->own != nullptr && own_holds
                                   ? provider::profile_of(provider).consequences.*(row->own)
                                   : std::string_view();
  if (part_of(second.role, second.dataplane_mode) < part_of(first.role, first.dataplane_mode))
    std::swap(first, second);
  // What somebody declares has a purpose for a name: "data centre Frankfurt".
  for (RangeOwner* owner : {&first, &second})
    if (owner->role == Role::Declared) owner->name = '"' + owner->name + '"';
  const bool overlay_first = is_overlay(first.dataplane_mode);
  std::string text = fmt::format(fmt::runtime(own.empty() ? row->text : own),
                                 fmt::arg("first", first.name), fmt::arg("second", second.name),
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
