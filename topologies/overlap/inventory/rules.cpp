#include "topologies/overlap/inventory/rules.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace overlane::overlap {
namespace {

using rules::Enforcer;
using rules::Rule;

constexpr const char* kTable = "topologies/overlap/inventory/rules.cpp";
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
     .enforcer = Enforcer::None,
     .title = "Shoots with overlapping pod CIDRs write routes into the same route table.",
     .why = "The route controller of each shoot writes a route for every node. On aws, azure and "
            "openstack it also deletes all other routes inside its own pod range, so that both "
            "shoots lose routes from the first node on, even if no two nodes have the same pod "
            "CIDR. On gcp both routes remain, and packets for a pod CIDR that both allocated go to "
            "either shoot; on alicloud the first route remains. If the nodes of a shoot reach each "
            "other directly (WireGuard, or routes of BIRD on one link, as on openstack), only "
            "packets from elsewhere are misrouted.",
     .remedy =
         "re-create one of them with other pods (`--propose N --domain NETWORK` names free ranges)",
     .source = kRouteController},
    {.id = "overlap-routes-capture-overlay",
     .section = "§3.6",
     .severity = Severity::Warning,
     .enforcer = Enforcer::None,
     .title = "Routes of a routed shoot capture traffic to pod addresses of an overlay shoot.",
     .why = "Pods with an overlay reach each other, because the network does not see their "
            "addresses. But the network routes these addresses to the routed shoot's pods, and "
            "nodes of the overlay shoot treat them as their own pods. A reply to an overlay pod "
            "whose address was not masqueraded follows the routed shoot's route and ends there.",
     .remedy = "nothing to do while pods of the two shoots do not talk to each other and the "
               "overlay stays: without it both shoots lose traffic; otherwise re-create one of "
               "them with other pods",
     .source = kOverlayDocument},
    {.id = "overlap-hidden-by-overlay",
     .section = "§3.6",
     .severity = Severity::Note,
     .enforcer = Enforcer::None,
     .title = "Overlay shoots have overlapping pod CIDRs.",
     .why = "The network sees only node addresses. This changes when an overlay is switched off: "
            "--assume NAMESPACE/NAME=routed shows the impact.",
     .remedy = "nothing to do while both keep their overlay",
     .source = kOverlayDocument},
    {.id = "overlap-between-clusters",
     .section = "§3.6",
     .severity = Severity::Warning,
     .enforcer = Enforcer::None,
     .title = "Routed shoots of one network have overlapping pod CIDRs in separate route tables.",
     .why = "With separate route tables each shoot works by itself. Pods of one cannot reach pods "
            "of the other, and other clients of the network (a bastion, a peering, a database that "
            "pods connect to) reach the pods of one of the two, or of neither.",
     .remedy = "nothing to do if only the shoot's own nodes talk to its pods; otherwise re-create "
               "one of them with other pods (`--propose N --domain NETWORK` names free ranges)",
     .source = kOverlayDocument},
    {.id = "overlap-tables-of-their-own",
     .section = "§3.6",
     .severity = Severity::Note,
     .enforcer = Enforcer::None,
     .title =
         "A routed shoot and an overlay shoot have overlapping pod CIDRs in separate route tables.",
     .why = "The routes are only in the routed shoot's tables, which the nodes of the other shoot "
            "do not use.",
     .remedy = "nothing to do while the overlay stays",
     .source = kOverlayDocument},
    {.id = "overlap-announced-twice",
     .section = "§3.5",
     .severity = Severity::Error,
     .enforcer = Enforcer::None,
     .title = "A connection announces the same pod addresses twice.",
     .why = "Two networks announce the same destination over a peering, transit gateway or VPN. "
            "One route wins, and packets for the other shoot's pods are lost.",
     .remedy = "re-create one of the shoots with other pods, or stop announcing its routes",
     .source = kOverlayDocument},
    {.id = "overlap-not-announced",
     .section = "§3.5",
     .severity = Severity::Note,
     .enforcer = Enforcer::None,
     .title = "Both sides of a connection have the same pod addresses, not announced.",
     .why = "Routes to pods do not cross the connection, so that there is no conflict. Pods of one "
            "shoot cannot reach pods of the other by address.",
     .remedy = "nothing to do; set carriesPodRoutes: true in the RoutingDomains file if the "
               "connection carries pod routes",
     .source = kOverlayDocument},
    {.id = "overlap-routes-over-hosts",
     .section = "§3.6",
     .severity = Severity::Error,
     .enforcer = Enforcer::None,
     .title = "Pod CIDR of a routed shoot overlaps node or VPC addresses.",
     .why = "The route to a node's pod CIDR is more specific than the route to the node or VPC "
            "range, so that packets for these machines go to a node, which drops them or delivers "
            "them to a pod. gcp refuses such a route inside a subnet: the node stays "
            "NoRouteCreated. aws accepts it only under conditions.",
     .remedy =
         "re-create the shoot with other pods (`--propose N --domain NETWORK` names free ranges)",
     .source = "gardener/gardener issue 5180"},
    {.id = "overlap-pods-hide-hosts",
     .section = "§3.6",
     .severity = Severity::Warning,
     .enforcer = Enforcer::None,
     .title = "Pod CIDR of an overlay shoot overlaps node or VPC addresses.",
     .why =
         "The shoot's nodes treat every address of the pod range as one of their pods: pods cannot "
         "reach machines with these addresses, such as another shoot's nodes or a database.",
     .remedy = "re-create the shoot with other pods if its pods talk to these machines",
     .source = kOverlayDocument},
    {.id = "overlap-services-hide-hosts",
     .section = "§3.5",
     .severity = Severity::Warning,
     .enforcer = Enforcer::None,
     .title = "Service CIDR overlaps node or VPC addresses.",
     .why = "On the shoot's nodes such an address belongs to a Service: if the Service exists, its "
            "pods answer instead of the machine.",
     .remedy = "re-create the shoot with other services if its pods talk to these machines",
     .source = kOverlayDocument},
    {.id = "overlap-services-hide-pods",
     .section = "§3.5",
     .severity = Severity::Note,
     .enforcer = Enforcer::None,
     .title = "Service CIDR overlaps the pod CIDR of another shoot.",
     .why = "If a Service has the address of another shoot's pod, clients in the cluster of the "
            "Service cannot reach that pod. Most clients never try.",
     .remedy = "nothing to do unless pods of these shoots talk to each other",
     .source = kOverlayDocument},
    {.id = "overlap-services-repeated",
     .section = "§3.5",
     .severity = Severity::Note,
     .enforcer = Enforcer::None,
     .title = "Shoots have overlapping service CIDRs.",
     .why = "The address of a Service is valid only on the nodes of its own cluster.",
     .remedy = "nothing to do",
     .source = kOverlayDocument},
    {.id = "overlap-hosts-collide",
     .section = "§3.6",
     .severity = Severity::Error,
     .enforcer = Enforcer::None,
     .title = "Subnets of one network, or pod ranges in them, overlap.",
     .why = "Clouds refuse a second subnet with addresses of the first: the infrastructure of the "
            "later shoot fails. In networks that do not check this, two machines get the same "
            "address.",
     .remedy = "re-create one of them with other ranges",
     .source = "gardener-extension-provider-openstack issue 555"},
    {.id = "overlap-nodes-divided",
     .section = "§3.6",
     .severity = Severity::Note,
     .enforcer = Enforcer::None,
     .title = "Shoots declare the same node CIDR; their machines use separate subnets of it.",
     .why = "networking.nodes only contains the subnets; machines get addresses from the subnets, "
            "which are compared separately.",
     .remedy = "nothing to do while the subnets are disjoint, or one existing subnet that both use",
     .source = kTable},
    {.id = "overlap-hosts-beyond-connection",
     .section = "§3.5",
     .severity = Severity::Error,
     .enforcer = Enforcer::None,
     .title = "Node or VPC addresses on both sides of a connection overlap.",
     .why =
         "A packet for an address that exists on both sides stays on the sender's side: machines "
         "there cannot reach the other side. Clouds refuse a peering between such networks.",
     .remedy = "re-create one of the networks with another range, or remove the connection",
     .source = "Amazon VPC peering guide, overlapping CIDR blocks"},
    {.id = "overlap-in-shoot",
     .section = "§3.2",
     .severity = Severity::Error,
     .enforcer = Enforcer::Admission,
     .title = "CIDRs of one shoot overlap each other.",
     .why = "An address would belong to a pod and to something else. Gardener and its extensions "
            "refuse such a shoot if they compare the ranges. They do not compare them with subnets "
            "on openstack, with an existing network, or in IPv6. In IPv6 this is a warning, "
            "because few of so many addresses are in use.",
     .remedy = "re-create the shoot with pods, services and nodes that are disjoint",
     .source = kAdmission},
    {.id = "overlap-with-seed",
     .section = "§3.2",
     .severity = Severity::Note,
     .enforcer = Enforcer::None,
     .title = "Shoot overlaps IPv4 ranges of its seed.",
     .why = "The VPN between shoot and seed maps both to ranges that Gardener reserves for it.",
     .remedy = "nothing to do; releases before gardener/gardener pull requests 11582 and 12204 "
               "refuse it",
     .source = kDisjoint},
    {.id = "overlap-with-seed-ipv6",
     .section = "§3.2",
     .severity = Severity::Error,
     .enforcer = Enforcer::Admission,
     .title = "Shoot overlaps IPv6 ranges of its seed.",
     .why = "The VPN between shoot and seed maps IPv4 only. Gardener does not schedule such a "
            "shoot onto this seed.",
     .remedy = "choose other IPv6 ranges, or another seed",
     .source = kDisjoint},
    {.id = "overlap-gardener-reserved",
     .section = "§3.1",
     .severity = Severity::Error,
     .enforcer = Enforcer::Admission,
     .title = "Shoot overlaps ranges that Gardener reserves for its VPN.",
     .why = "Inside the VPN these ranges represent those of the seed and of the shoot. Gardener "
            "refuses the shoot when it is scheduled.",
     .remedy = "choose another range",
     .source = "gardener/gardener pkg/apis/core/v1beta1/constants/types_constants.go"},
    {.id = "overlap-cloud-services",
     .section = "§3.5",
     .severity = Severity::Warning,
     .enforcer = Enforcer::None,
     .title = "Pod CIDR overlaps service addresses of the cloud.",
     .why = "Alibaba Cloud's name servers (100.100.2.136, 100.100.2.138) and its metadata service "
            "(100.100.100.200) are inside Gardener's default pod range 100.96.0.0/11. Packets to "
            "addresses inside the pod range keep the pod's address as source, which these services "
            "do not answer.",
     .remedy =
         "re-create the shoot with other pods (`--propose N --domain NETWORK` names free ranges)",
     .source = "gardener/gardener issue 1963; gardener/dashboard issue 298"},
    {.id = "overlap-landscape-reserved",
     .section = "§3.5",
     .severity = Severity::Warning,
     .enforcer = Enforcer::None,
     .title = "Shoot overlaps ranges that the landscape operator reserves.",
     .why = "No API object contains these ranges, so Gardener does not refuse the shoot; its pods "
            "cannot reach what the operator runs there.",
     .remedy = "choose another range",
     .source = "the landscape's operator"},
    {.id = "domain-route-quota-by-minimum",
     .section = "§4.4",
     .severity = Severity::Error,
     .enforcer = Enforcer::None,
     .title = "Required routes exceed the route quota.",
     .why =
         "Routed shoots that share a route table write a route for each node into it. When the "
         "quota is reached, further nodes of any of these shoots get no route and stay unusable.",
     .remedy = "request a higher quota (and set it with --set landscape.route-quota.<provider>=N "
               "or routeQuota in a RoutingDomains file), or give some of the shoots an overlay",
     .source = "topologies/provider"},
    {.id = "domain-route-quota-by-maximum",
     .section = "§4.4",
     .severity = Severity::Warning,
     .enforcer = Enforcer::None,
     .title = "Routes at maximum node count exceed the route quota.",
     .why = "If the shoots grow, new nodes of any of them get no route and stay unusable.",
     .remedy = "request a higher quota, lower the workers' maximum, or give some of the shoots an "
               "overlay",
     .source = "topologies/provider"},
    {.id = "declared-shoot-missing",
     .section = "domains",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Reader,
     .title = "A RoutingDomains file names a shoot that is not among the manifests.",
     .why = "The declaration about the shoot's network is ignored: overlaps with it are not found.",
     .remedy = "add its manifest, or correct the name",
     .source = "topologies/overlap/inventory/routing_scope.cpp"},
    {.id = "invalid-baseline",
     .section = "input",
     .enforcer = Enforcer::Reader,
     .title = "A baseline is not a JSON report of overlane overlap.",
     .why = "Without a baseline, new overlaps cannot be told from known ones. Reports of later "
            "versions of the program may have other meanings.",
     .remedy = "write it again: overlane overlap -o json --out FILE PATH…",
     .source = "topologies/overlap/report/baseline.cpp"},
    {.id = "no-free-range",
     .section = "§3.5",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Reader,
     .title = "Fewer ranges are free than requested.",
     .why = "The address space of --pools holds no further range of the size that is neither used "
            "in the routing domain nor in a connected network, nor reserved.",
     .remedy = "request smaller ranges, or add address space with --pools",
     .source = "topologies/overlap/remedy/free_ranges.cpp"},
    {.id = "node-of-no-shoot",
     .section = "input",
     .severity = Severity::Note,
     .enforcer = Enforcer::Reader,
     .title = "A Node cannot be attributed to a shoot.",
     .why = "A Node does not name its shoot. It is attributed to a shoot if its name or providerID "
            "starts with the shoot's technical id, or if its addresses are in the ranges of one "
            "shoot only. Pod CIDRs of other Nodes are ignored: nodes_until_conflict then assumes "
            "the workers' minimum of nodes.",
     .remedy = "add the Shoot with its status (technicalID), or ranges that only this shoot has",
     .source = "topologies/overlap/inventory/inventory.cpp"},
};

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

const Rule& rule(std::string_view id) {
  const auto* found = std::ranges::find(kRules, id, &Rule::id);
  assert(found != std::end(kRules));
  return *found;
}

std::string_view fault(const Rule& rule) {
  return rule.title.substr(0, rule.title.find_last_not_of('.') + 1);
}

}  // namespace overlane::overlap
