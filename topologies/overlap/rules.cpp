#include <algorithm>
#include <iterator>

#include "topologies/overlap/meaning.h"

namespace overlane::overlap {
namespace {

using effective::Enforcer;
using effective::Rule;

constexpr const char* kTable = "topologies/overlap/rules.cpp";
constexpr const char* kOverlayDocument =
    "gardener-extension-networking-calico docs/usage/shoot_overlay_network.md";
constexpr const char* kRouteController =
    "kubernetes/cloud-provider controllers/route/route_controller.go";
constexpr const char* kAdmission = "gardener/gardener plugin/pkg/shoot/validator/admission.go";
constexpr const char* kDisjoint = "gardener/gardener pkg/utils/validation/cidr/disjoint.go";

constexpr Rule kRules[] = {
    {.id = "overlap-routes-contested",
     .section = "§3.6",
     .severity = Severity::Error,
     .enforcer = Enforcer::Nobody,
     .title = "Routed shoots that share a list of routes have pods of their own.",
     .why = "A list holds one route for a destination. Each shoot's route controller writes its "
            "own nodes into it and takes the other's for left-overs, so that pods of both lose "
            "their traffic, node by node, as slices meet.",
     .remedy = "re-create one of them with pods of its own (--propose names free ranges); until "
               "then give one an overlay (networking.providerConfig.overlay.enabled: true)",
     .source = kRouteController},
    {.id = "overlap-routes-capture-overlay",
     .section = "§3.6",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Nobody,
     .title = "Where one shoot is routed, others with an overlay beside it have other pods.",
     .why = "The overlay hides its pods only while their packets are wrapped or masqueraded. What "
            "the network itself sends to such an address (an answer to a pod's own address, a "
            "health check) follows the routed shoot's route and lands there.",
     .remedy = "keep the overlay, and do not switch it off before the shoot has pods of its own",
     .source = kOverlayDocument},
    {.id = "overlap-hidden-by-overlay",
     .section = "§3.6",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title = "Shoots with overlays may have the same pods.",
     .why = "The network sees only nodes' addresses. It stays so until somebody switches an "
            "overlay off: --assume NAMESPACE/NAME=routed shows what that would bring.",
     .remedy = "nothing to do while both keep their overlay",
     .source = kOverlayDocument},
    {.id = "overlap-between-clusters",
     .section = "§3.6",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Nobody,
     .title = "Routed shoots of one network have pods of their own.",
     .why = "With route tables of its own each shoot works by itself. Pods of one cannot reach "
            "pods of the other, and what else is in the network reaches one of the two or neither.",
     .remedy = "re-create one of them with pods of its own if anything outside a shoot talks to "
               "its pods",
     .source = kOverlayDocument},
    {.id = "overlap-tables-of-their-own",
     .section = "§3.6",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title = "A shoot with an overlay and a routed one with its own tables may have the same "
              "pods.",
     .why = "The routes stand in the routed shoot's tables only, where no packet of the other "
            "comes by.",
     .remedy = "nothing to do while the overlay stays",
     .source = kOverlayDocument},
    {.id = "overlap-announced-twice",
     .section = "§3.5",
     .severity = Severity::Error,
     .enforcer = Enforcer::Nobody,
     .title = "Pods whose routes are announced over a connection are announced once.",
     .why = "Two networks announce the same destination over a peering, transit gateway or VPN. "
            "One route wins, and what is meant for the other shoot's pods is lost.",
     .remedy = "re-create one of the shoots with pods of its own, or stop announcing its routes",
     .source = kOverlayDocument},
    {.id = "overlap-not-announced",
     .section = "§3.5",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title = "Shoots in connected networks may have the same pods if their routes stay at home.",
     .why = "No route to pods crosses the connection, so that the ranges never meet. Pods of one "
            "cannot reach pods of the other.",
     .remedy = "nothing to do; say carriesPodRoutes: true in the RoutingDomains file if pod routes "
               "do cross",
     .source = kOverlayDocument},
    {.id = "overlap-routes-over-hosts",
     .section = "§3.6",
     .severity = Severity::Error,
     .enforcer = Enforcer::Nobody,
     .title = "Routed pods lie outside the addresses of hosts that the shoot can reach.",
     .why = "A route for a node's slice is longer than the one for the hosts' range, so that "
            "packets for these hosts go to a node that does not know them. GCP refuses such a "
            "route inside a subnet, and the node stays NoRouteCreated.",
     .remedy = "re-create the shoot with other pods (--propose names free ranges)",
     .source = "gardener/gardener issue 5180"},
    {.id = "overlap-pods-hide-hosts",
     .section = "§3.6",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Nobody,
     .title = "Pods behind an overlay lie outside the addresses of hosts that they talk to.",
     .why = "A shoot's nodes take every address of the pod range for a pod of theirs: their pods "
            "cannot reach hosts there.",
     .remedy = "re-create the shoot with other pods if they talk to these hosts",
     .source = kOverlayDocument},
    {.id = "overlap-services-hide-hosts",
     .section = "§3.5",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Nobody,
     .title = "Services lie outside the addresses of hosts that pods talk to.",
     .why = "On the shoot's nodes such an address means a Service: where there is one, its pods "
            "answer instead of the host.",
     .remedy = "re-create the shoot with other services, or keep its Services off these addresses",
     .source = kOverlayDocument},
    {.id = "overlap-services-hide-pods",
     .section = "§3.5",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title = "Services lie outside the pods of other shoots in the network.",
     .why = "Clients in the one shoot cannot reach such pods of the other; most never do.",
     .remedy = "nothing to do unless pods of these shoots talk to each other",
     .source = kOverlayDocument},
    {.id = "overlap-services-repeated",
     .section = "§3.5",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title = "Shoots may have the same services.",
     .why = "A Service's address means something only on the nodes of its own cluster.",
     .remedy = "nothing to do",
     .source = kOverlayDocument},
    {.id = "overlap-hosts-collide",
     .section = "§3.6",
     .severity = Severity::Error,
     .enforcer = Enforcer::Nobody,
     .title = "Subnets of one network are disjoint.",
     .why = "No cloud makes a second subnet with addresses of the first: the infrastructure of the "
            "later shoot fails, or two machines get one address.",
     .remedy = "choose other ranges for the nodes and subnets of one of them",
     .source = "gardener-extension-provider-openstack issue 555"},
    {.id = "overlap-nodes-divided",
     .section = "§3.6",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title = "Shoots of one network may name the same nodes if their subnets differ.",
     .why = "networking.nodes is only a frame; machines get addresses from the subnets in it, "
            "which are compared for themselves.",
     .remedy = "nothing to do while the subnets are disjoint",
     .source = kTable},
    {.id = "overlap-hosts-beyond-connection",
     .section = "§3.5",
     .severity = Severity::Error,
     .enforcer = Enforcer::Nobody,
     .title = "Connected networks have addresses of their own.",
     .why = "A packet for an address that both sides have stays on the sender's side: machines "
            "there cannot reach the others. Clouds refuse a peering between such networks.",
     .remedy = "re-create one of them with another range, or do without the connection",
     .source = "AWS VPC peering guide, unsupported configurations: overlapping CIDR blocks"},
    {.id = "overlap-in-shoot",
     .section = "§3.2",
     .severity = Severity::Error,
     .enforcer = Enforcer::Admission,
     .title = "A shoot's own ranges are disjoint.",
     .why = "An address would mean a pod and something else at once. Gardener refuses such a "
            "shoot where it compares the ranges; nobody compares them in IPv6, with subnets on "
            "openstack, or with an existing network.",
     .remedy = "choose pods, services and nodes that are disjoint",
     .source = kAdmission},
    {.id = "overlap-with-seed",
     .section = "§3.2",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title = "IPv4 ranges of a shoot may be those of its seed.",
     .why = "The VPN between them maps both into ranges that Gardener keeps for it.",
     .remedy = "nothing to do; releases before gardener/gardener pull requests 11582 and 12204 "
               "refused it",
     .source = kDisjoint},
    {.id = "overlap-with-seed-ipv6",
     .section = "§3.2",
     .severity = Severity::Error,
     .enforcer = Enforcer::Admission,
     .title = "IPv6 ranges of a shoot are not those of its seed.",
     .why = "The VPN maps IPv4 only. Gardener does not schedule such a shoot onto this seed.",
     .remedy = "choose other IPv6 ranges, or another seed",
     .source = kDisjoint},
    {.id = "overlap-gardener-reserved",
     .section = "§3.1",
     .severity = Severity::Error,
     .enforcer = Enforcer::Admission,
     .title = "A shoot's ranges lie outside those that Gardener keeps for its VPN.",
     .why = "They stand for the ranges of the seed and of the shoot inside the VPN. Gardener "
            "refuses the shoot when it is scheduled.",
     .remedy = "choose another range",
     .source = "gardener/gardener pkg/apis/core/v1beta1/constants/types_constants.go"},
    {.id = "overlap-landscape-reserved",
     .section = "§3.5",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Nobody,
     .title = "A shoot's ranges lie outside those that the landscape's operator keeps.",
     .why = "Such ranges stand in no API object, so that nobody refuses the shoot; it is cut off "
            "from whatever the operator runs there.",
     .remedy = "choose another range",
     .source = "the documents of the landscape's operator"},
    {.id = "domain-route-quota-by-minimum",
     .section = "§4.4",
     .severity = Severity::Error,
     .enforcer = Enforcer::Nobody,
     .title = "A list of routes holds one for each of the least number of nodes that share it.",
     .why = "Routed shoots of one network write into one list. Nodes beyond its quota never get a "
            "route and stay unusable, whichever shoot they belong to.",
     .remedy = "have the quota raised (and say so with --set landscape.route-quota.<provider>=N or "
               "routeQuota in a RoutingDomains file), or give some of the shoots an overlay",
     .source = "topologies/effective/route_quota.cpp"},
    {.id = "domain-route-quota-by-maximum",
     .section = "§4.4",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Nobody,
     .title = "A list of routes holds one for each node that its shoots may grow to.",
     .why = "All is well until one of the shoots grows; then its new nodes, or another's, stay "
            "without a route.",
     .remedy = "have the quota raised, lower the workers' maximum, or give some of the shoots an "
               "overlay",
     .source = "topologies/effective/route_quota.cpp"},
};

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

const Rule& rule(std::string_view id) {
  const auto* found = std::ranges::find(kRules, id, &Rule::id);
  return found == std::end(kRules) ? kRules[0] : *found;
}

}  // namespace overlane::overlap
