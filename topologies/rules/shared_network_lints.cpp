#include <vector>

#include <fmt/format.h>

#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::GivenRange;
using effective::RangeRole;
using effective::RoutingDomain;
namespace {

/// The existing network of the shoot.
const manifest::Field<std::string>& network_of(const LintInputs& in) {
  return in.shoot.spec.shoot.infrastructure.network_id;
}

void check_unknown_ranges(const LintInputs& in, RuleReport& report) {
  if (network_of(in))
    report.add(*network_of(in),
               "Gardener does not compare pods and services with the ranges of this existing "
               "network and of networks connected to it");
}

void check_shared_routes(const LintInputs& in, RuleReport& report) {
  if (network_of(in) && has_cloud_routes(in) &&
      in.dataplane.routing_domain.scope != RoutingDomain::Scope::Table)
    report.add(*network_of(in),
               fmt::format("the routes of all shoots in this {} share one route table",
                           to_string(in.dataplane.routing_domain.scope)));
}

void check_alicloud_table(const LintInputs& in, RuleReport& report) {
  const auto& own = in.shoot.spec.shoot.infrastructure.custom_route_table;
  if (in.shoot.provider.routes.has_system_table && network_of(in) && has_cloud_routes(in) &&
      !(own && own->value))
    report.add(*network_of(in), "the shoot is routed by the VPC's system route table");
}

void check_gcp_firewall(const LintInputs& in, RuleReport& report) {
  const auto& filter = in.shoot.provider.fabric.filter;
  if (filter && filter->every_instance && network_of(in))
    report.add(*network_of(in),
               "the shoot's firewall rule opens every instance of this VPC to its pods and nodes");
}

void check_security_group(const LintInputs& in, RuleReport& report) {
  const auto& group = in.shoot.spec.shoot.infrastructure.nodes_security_group;
  if (group)
    report.add(*group,
               "Gardener does not check which traffic this security group allows between nodes");
}

/// The workers' subnets that documents give.
std::vector<const manifest::Located<IpPrefix>*> worker_subnets(const LintInputs& in) {
  const manifest::Infrastructure& infrastructure = in.shoot.spec.shoot.infrastructure;
  std::vector<const manifest::Located<IpPrefix>*> subnets;
  if (infrastructure.workers_cidr) subnets.push_back(&*infrastructure.workers_cidr);
  for (const manifest::InfrastructureZone& zone : infrastructure.zones)
    if (zone.workers) subnets.push_back(&*zone.workers);
  return subnets;
}

/// Where the provider's admission does not compare them. Routes that a network refuses because of
/// the overlap are another rule's.
void check_ranges_of_workers(const LintInputs& in, RuleReport& report) {
  if (in.shoot.provider.infrastructure.pods_outside_subnets) return;
  const bool is_refused = in.shoot.provider.fabric.protects_subnets && is_routed(in);
  for (const auto* workers : worker_subnets(in))
    for (const GivenRange& range : in.shoot.addressing.given) {
      const bool is_other = range.role == RangeRole::Pods && is_refused;
      if (range.role != RangeRole::Nodes && !is_other && range.value().overlaps(workers->value))
        report.add(*range.given,
                   fmt::format("{} {} overlaps {} {}", range.given->path, range.value().to_string(),
                               workers->path, workers->value.to_string()),
                   hint_of_fixed_range(in, kOtherRanges));
    }
}

void check_workers_within_nodes(const LintInputs& in, RuleReport& report) {
  if (in.shoot.provider.infrastructure.workers_within_nodes) return;
  const auto& nodes = in.shoot.spec.shoot.nodes;
  if (!nodes) return;
  for (const auto* workers : worker_subnets(in))
    if (workers->value.is_ipv4() == nodes->value.is_ipv4() &&
        !nodes->value.contains(workers->value))
      report.add(*workers,
                 fmt::format("{} {} lies outside {} {}", workers->path, workers->value.to_string(),
                             nodes->path, nodes->value.to_string()));
}

constexpr const char* kWorkersValidator =
    "gardener-extension-provider-<name> pkg/apis/<name>/validation/infrastructure.go";

constexpr Check<LintInputs> kSharedNetworkLints[] = {
    {{.id = "ranges-of-existing-network",
      .section = "§3.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "The pod or service range overlaps an existing network's range.",
      .why = "Gardener knows only the network's name. Its ranges, peerings, transit gateways and "
             "other routes are in no manifest; where pods overlap them, one of the two is "
             "unreachable.",
      .remedy = "compare pods and services with the ranges of the network and its connections",
      .source = "gardener-extension-networking-calico docs/usage/shoot_overlay_network.md"},
     check_unknown_ranges},
    {{.id = "routes-in-shared-network",
      .section = "§3.6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Routed shoots that share a network and its routes may have overlapping pod ranges.",
      .why = "On gcp, openstack and alicloud all routes of a VPC or router share one table. Routes "
             "of two shoots with overlapping pods conflict, and both lose traffic; Gardener does "
             "not compare them.",
      .remedy = "give each shoot of the network its own spec.networking.pods",
      .source = "gardener-extension-provider-openstack issue 555; "
                "gardener-extension-provider-openstack issue 1219"},
     check_shared_routes},
    {{.id = "alicloud-system-route-table",
      .section = "§3.6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A routed shoot in an existing Alibaba Cloud VPC uses the system route table.",
      .why = "Without useCustomRouteTable all its routes go into the VPC's system table, which "
             "every other shoot uses too. The switch can only be set at creation.",
      .remedy = "create the shoot with vpc.useCustomRouteTable: true",
      .source = "gardener-extension-provider-alicloud docs/usage/usage.md"},
     check_alicloud_table},
    {{.id = "gcp-shared-vpc-firewall",
      .section = "§4.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "In a shared GCP VPC, the shoot's firewall rule opens instances of others.",
      .why = "The firewall rule between a shoot's nodes has no target tags: in a shared VPC it "
             "opens the instances of others to this shoot's pods.",
      .remedy = "remove vpc.name, or allow for this in the VPC's own rules",
      .source = "gardener-extension-provider-gcp pkg/controller/infrastructure/infraflow"},
     check_gcp_firewall},
    {{.id = "aws-own-security-group",
      .section = "§4.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A custom security group may drop traffic between nodes.",
      .why = "Gardener's own group allows it. A custom one may drop IPIP, VXLAN or packets with "
             "pod addresses.",
      .remedy = "give it a rule that refers to itself, for all protocols",
      .source = "gardener-extension-provider-aws docs/usage/bring-your-own-vpc.md"},
     check_security_group},
    {{.id = "ranges-overlap-workers",
      .section = "§3.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The pod or service range overlaps the workers' subnet.",
      .why = "The validators of gcp, openstack and stackit compare the workers only with the "
             "nodes, that of hcloud compares nothing. Traffic to nodes would reach pods or "
             "services instead.",
      .remedy = "choose another range for the subnet, or for pods or services",
      .source = kWorkersValidator},
     check_ranges_of_workers},
    {{.id = "nodes-without-workers-subnet",
      .section = "§3.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A workers' subnet is outside the node range, which the provider does not check.",
      .why = "Nodes get addresses of the workers' subnet. Components that use networking.nodes, "
             "such as masquerading and the VPN, do not cover those outside it.",
      .remedy = "enlarge networking.nodes, or choose a subnet within it",
      .source = kWorkersValidator},
     check_workers_within_nodes},
};

}  // namespace

std::span<const Check<LintInputs>> shared_network_lints() {
  return kSharedNetworkLints;
}

}  // namespace overlane::rules
