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
     .enforcer = Enforcer::Nobody,
     .title = "Shoots with overlapping pod CIDRs write routes into the same route table.",
     .why = "Each shoot's route controller writes a route for every node into the list. All but "
            "gcp's and alicloud's delete what they find inside their own pods that is none of "
            "their nodes', so that both shoots lose routes from the first node on, even while no "
            "two nodes have the same pod CIDR. On gcp both routes stay, and packets for a pod CIDR "
            "that "
            "both allocated go to either shoot; on alicloud the first one stays. Pods whose "
            "nodes send to each other by themselves (WireGuard, or routes of BIRD on one link, as "
            "on openstack) are missed by others only.",
     .remedy = "re-create one of them with other pods (--propose names free ranges)",
     .source = kRouteController},
    {.id = "overlap-routes-capture-overlay",
     .section = "§3.6",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Nobody,
     .title = "Routes of a routed shoot capture traffic to pod addresses of an overlay shoot.",
     .why = "Pods with an overlay reach each other: the network does not see their addresses. But "
            "the network leads everybody to the routed shoot's pods, except those whose nodes take "
            "these addresses for pods of their own. And an answer to a pod with an overlay whose "
            "address was not masqueraded follows the routed shoot's route and lands there.",
     .remedy = "nothing to do as long as pods of the one need none of the other and the overlay "
               "stays: without it both shoots lose traffic. Else re-create one of them with other "
               "pods",
     .source = kOverlayDocument},
    {.id = "overlap-hidden-by-overlay",
     .section = "§3.6",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title = "Overlay shoots have overlapping pod CIDRs.",
     .why = "The network sees only nodes' addresses. It stays so until somebody switches an "
            "overlay off: --assume NAMESPACE/NAME=routed shows what that would bring.",
     .remedy = "nothing to do while both keep their overlay",
     .source = kOverlayDocument},
    {.id = "overlap-between-clusters",
     .section = "§3.6",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Nobody,
     .title = "Routed shoots of one network have overlapping pod CIDRs in separate route tables.",
     .why = "With route tables of its own each shoot works by itself. Pods of one cannot reach "
            "pods of the other, and what else is in the network (a bastion, a peering, a database "
            "that pods connect to) reaches the pods of one of the two, or of neither.",
     .remedy = "nothing to do if nothing outside a shoot talks to its pods; else re-create one of "
               "them with other pods (--propose names free ranges)",
     .source = kOverlayDocument},
    {.id = "overlap-tables-of-their-own",
     .section = "§3.6",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title =
         "A routed shoot and an overlay shoot have overlapping pod CIDRs in separate route tables.",
     .why = "The routes stand in the routed shoot's tables only, which no packet of the other's "
            "nodes meets.",
     .remedy = "nothing to do while the overlay stays",
     .source = kOverlayDocument},
    {.id = "overlap-announced-twice",
     .section = "§3.5",
     .severity = Severity::Error,
     .enforcer = Enforcer::Nobody,
     .title = "A connection announces the same pod addresses twice.",
     .why = "Two networks announce the same destination over a peering, transit gateway or VPN. "
            "One route wins, and what is meant for the other shoot's pods is lost.",
     .remedy = "re-create one of the shoots with other pods, or stop announcing its routes",
     .source = kOverlayDocument},
    {.id = "overlap-not-announced",
     .section = "§3.5",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title = "Both sides of a connection have the same pod addresses, not announced.",
     .why = "No route to pods crosses the connection, so that the ranges never meet. Pods of one "
            "cannot reach pods of the other by address.",
     .remedy = "nothing to do; say carriesPodRoutes: true in the RoutingDomains file if pod routes "
               "do cross",
     .source = kOverlayDocument},
    {.id = "overlap-routes-over-hosts",
     .section = "§3.6",
     .severity = Severity::Error,
     .enforcer = Enforcer::Nobody,
     .title = "Pod CIDR of a routed shoot overlaps host addresses.",
     .why =
         "A route for a node's pod CIDR is more specific than the one for the machines' range, so "
         "that packets for these machines go to a node, which drops them or gives them to a "
         "pod. gcp refuses such a route inside a subnet: the node stays NoRouteCreated. aws "
         "takes it only under conditions.",
     .remedy = "re-create the shoot with other pods (--propose names free ranges)",
     .source = "gardener/gardener issue 5180"},
    {.id = "overlap-pods-hide-hosts",
     .section = "§3.6",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Nobody,
     .title = "Pod CIDR of an overlay shoot overlaps host addresses.",
     .why = "The shoot's nodes take every address of the pod range for a pod of theirs: pods "
            "cannot reach machines there, be it another shoot's nodes or a database.",
     .remedy = "re-create the shoot with other pods if its pods talk to these machines",
     .source = kOverlayDocument},
    {.id = "overlap-services-hide-hosts",
     .section = "§3.5",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Nobody,
     .title = "Service CIDR overlaps host addresses.",
     .why = "On the shoot's nodes such an address means a Service: where there is one, its pods "
            "answer instead of the machine.",
     .remedy = "re-create the shoot with other services if its pods talk to these machines",
     .source = kOverlayDocument},
    {.id = "overlap-services-hide-pods",
     .section = "§3.5",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title = "Service CIDR overlaps the pod CIDR of another shoot.",
     .why = "Where a Service has the address of another shoot's pod, clients beside the Service "
            "cannot reach that pod; most never try.",
     .remedy = "nothing to do unless pods of these shoots talk to each other",
     .source = kOverlayDocument},
    {.id = "overlap-services-repeated",
     .section = "§3.5",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title = "Shoots have overlapping service CIDRs.",
     .why = "A Service's address means something only on the nodes of its own cluster.",
     .remedy = "nothing to do",
     .source = kOverlayDocument},
    {.id = "overlap-hosts-collide",
     .section = "§3.6",
     .severity = Severity::Error,
     .enforcer = Enforcer::Nobody,
     .title = "Subnets of one network, or pod ranges in them, overlap.",
     .why = "No cloud makes a second subnet with addresses of the first: the infrastructure of "
            "the later shoot fails, or, on networks that do not check, two machines get one "
            "address.",
     .remedy = "re-create one of them with other ranges there",
     .source = "gardener-extension-provider-openstack issue 555"},
    {.id = "overlap-nodes-divided",
     .section = "§3.6",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title = "Shoots declare the same node CIDR; their machines use separate subnets of it.",
     .why = "networking.nodes is only a frame: machines get addresses from the subnets in it, "
            "which are compared by themselves.",
     .remedy = "nothing to do while the subnets are disjoint, or one that both bring along",
     .source = kTable},
    {.id = "overlap-hosts-beyond-connection",
     .section = "§3.5",
     .severity = Severity::Error,
     .enforcer = Enforcer::Nobody,
     .title = "Hosts on both sides of a connection have overlapping addresses.",
     .why = "A packet for an address that both sides have stays on the sender's side: machines "
            "there cannot reach the other side's. Clouds refuse a peering between such networks.",
     .remedy = "re-create one of the networks with another range, or do without the connection",
     .source = "AWS VPC peering guide, unsupported configurations: overlapping CIDR blocks"},
    {.id = "overlap-in-shoot",
     .section = "§3.2",
     .severity = Severity::Error,
     .enforcer = Enforcer::Admission,
     .title = "CIDRs of one shoot overlap each other.",
     .why = "An address would mean a pod and something else at once. Gardener and its extensions "
            "refuse such a shoot where they compare the ranges; nobody compares them with subnets "
            "on openstack, with an existing network, or in IPv6. There it is a warning: of so many "
            "addresses few are in use.",
     .remedy = "re-create the shoot with pods, services and nodes that are disjoint",
     .source = kAdmission},
    {.id = "overlap-with-seed",
     .section = "§3.2",
     .severity = Severity::Note,
     .enforcer = Enforcer::Nobody,
     .title = "Shoot overlaps IPv4 ranges of its seed.",
     .why = "The VPN between them maps both into ranges that Gardener keeps for it.",
     .remedy = "nothing to do; releases before gardener/gardener pull requests 11582 and 12204 "
               "refuse it",
     .source = kDisjoint},
    {.id = "overlap-with-seed-ipv6",
     .section = "§3.2",
     .severity = Severity::Error,
     .enforcer = Enforcer::Admission,
     .title = "Shoot overlaps IPv6 ranges of its seed.",
     .why = "The VPN between them maps IPv4 only. Gardener does not schedule such a shoot onto "
            "this seed.",
     .remedy = "choose other IPv6 ranges, or another seed",
     .source = kDisjoint},
    {.id = "overlap-gardener-reserved",
     .section = "§3.1",
     .severity = Severity::Error,
     .enforcer = Enforcer::Admission,
     .title = "Shoot overlaps ranges that Gardener reserves for its VPN.",
     .why = "Inside the VPN these ranges stand for those of the seed and of the shoot. Gardener "
            "refuses the shoot when it is scheduled.",
     .remedy = "choose another range",
     .source = "gardener/gardener pkg/apis/core/v1beta1/constants/types_constants.go"},
    {.id = "overlap-cloud-services",
     .section = "§3.5",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Nobody,
     .title = "Pod CIDR overlaps service addresses of the cloud.",
     .why = "Alibaba Cloud's name servers (100.100.2.136, 100.100.2.138) and its metadata "
            "(100.100.100.200) are there, inside Gardener's usual pods 100.96.0.0/11. Packets to "
            "addresses of the pods' range leave under the pod's address, and nobody answers that.",
     .remedy = "re-create the shoot with other pods (--propose names free ranges)",
     .source = "gardener/gardener issue 1963; gardener/dashboard issue 298"},
    {.id = "overlap-landscape-reserved",
     .section = "§3.5",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Nobody,
     .title = "Shoot overlaps ranges that the landscape operator reserves.",
     .why = "No API object names these ranges, so that nobody refuses the shoot; its pods are cut "
            "off from whatever the operator runs there.",
     .remedy = "choose another range",
     .source = "the documents of the landscape's operator"},
    {.id = "domain-route-quota-by-minimum",
     .section = "§4.4",
     .severity = Severity::Error,
     .enforcer = Enforcer::Nobody,
     .title = "Required routes exceed the route quota.",
     .why = "Routed shoots of one network write a route for each node into one list. When it is "
            "full, further nodes never get a route and stay unusable, whichever shoot they belong "
            "to.",
     .remedy = "have the quota raised (and say so with --set landscape.route-quota.<provider>=N or "
               "routeQuota in a RoutingDomains file), or give some of the shoots an overlay",
     .source = "topologies/provider"},
    {.id = "domain-route-quota-by-maximum",
     .section = "§4.4",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Nobody,
     .title = "Routes at maximum node count exceed the route quota.",
     .why = "All is well until one of the shoots grows; then its new nodes, or another's, get no "
            "route and stay unusable.",
     .remedy = "have the quota raised, lower the workers' maximum, or give some of the shoots an "
               "overlay",
     .source = "topologies/provider"},
    {.id = "declared-shoot-missing",
     .section = "domains",
     .severity = Severity::Warning,
     .enforcer = Enforcer::Reader,
     .title = "A RoutingDomains file names a shoot that is not among the manifests.",
     .why = "What the file says about the shoot's network counts for nothing: overlaps with it are "
            "not found.",
     .remedy = "give its manifest too, or correct the name",
     .source = "topologies/overlap/sharing/routing_scope.cpp"},
    {.id = "invalid-baseline",
     .section = "input",
     .enforcer = Enforcer::Reader,
     .title = "A baseline is not a JSON report of overlane overlap.",
     .why = "Without it nobody can say what is new. A report of a later program may mean other "
            "things.",
     .remedy = "write it anew: overlane overlap -o json --out FILE PATH…",
     .source = "topologies/overlap/compare/baseline.cpp"},
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
     .why =
         "A Node names no shoot. Its name or providerID begins with the shoot's technical id, or "
         "its addresses lie in the ranges of one shoot only. The pod CIDRs of others do not count "
         "in nodes_until_conflict, which then rests on the workers' least number of nodes.",
     .remedy = "give the Shoot with its status (technicalID), or ranges that only it has",
     .source = "topologies/overlap/inventory/cluster_nodes.cpp"},
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
