#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dataplane/wire/ip.h"
#include "topologies/document/fields/fields.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/provider/machines/machine_types.h"
#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/rule_tables.h"

// Lints about the cloud's network around a shoot: networks that several shoots share, packets that
// the provider's fabric drops (IP protocols, ports, unknown source addresses), and the MTU of its
// links.
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

/// The workers' subnets that documents contain.
std::vector<const manifest::Located<IpPrefix>*> worker_subnets(const LintInputs& in) {
  const manifest::Infrastructure& infrastructure = in.shoot.spec.shoot.infrastructure;
  std::vector<const manifest::Located<IpPrefix>*> subnets;
  if (infrastructure.workers_cidr) subnets.push_back(&*infrastructure.workers_cidr);
  for (const manifest::InfrastructureZone& zone : infrastructure.zones)
    if (zone.workers) subnets.push_back(&*zone.workers);
  return subnets;
}

/// Compares ranges with the workers' subnets if the provider's admission does not. Overlaps for
/// which the network refuses routes are reported by another rule.
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

using effective::Encapsulation;
using effective::Provider;
namespace {

void check_dropped_ipip(const LintInputs& in, RuleReport& report) {
  if (!in.dataplane.opaque && effective::drops_tunnel(in.shoot.provider, in.dataplane.dataplane))
    report.add(fmt::format(
        "pods' traffic is encapsulated in IPIP, which the network of {} drops "
        "({})",
        in.shoot.provider.name, in.shoot.provider.fabric.dropped_protocols_source.text()));
}

void check_single_flow(const LintInputs& in, RuleReport& report) {
  if (is_encapsulated(in, Encapsulation::Ipip) &&
      !in.shoot.provider.machines.single_flow_source.empty())
    report.add(
        fmt::format("all IPIP traffic between two nodes is one flow for the network of {} "
                    "({})",
                    in.shoot.provider.name, in.shoot.provider.machines.single_flow_source.text()));
}

void check_inner_group(const LintInputs& in, RuleReport& report) {
  if (in.shoot.provider.fabric.ipip_within_group_only && is_encapsulated(in, Encapsulation::Ipip))
    report.add("IPIP between nodes is allowed only by the default access within a security group");
}

/// The protocols that the network's filter accepts between pods and nodes; empty: all.
std::span<const std::uint8_t> protocols_of_pods(const provider::Fabric& fabric) {
  if (!fabric.filter) return {};
  const auto rule = std::ranges::find(
      fabric.filter->rules, provider::FilterRule::From::PodsAndNodes, &provider::FilterRule::from);
  if (rule == fabric.filter->rules.end()) return {};
  return rule->protocols;
}

std::string name_of_protocol(std::uint8_t protocol) {
  constexpr std::pair<std::uint8_t, std::string_view> kNames[] = {
      {wire::kIcmp, "ICMP"}, {wire::kIpv4InIp, "IPIP"}, {wire::kTcp, "TCP"}, {wire::kUdp, "UDP"}};
  for (const auto& [number, name] : kNames)
    if (number == protocol) return std::string(name);
  return fmt::format("protocol {}", protocol);
}

void check_other_protocols(const LintInputs& in, RuleReport& report) {
  const auto protocols = protocols_of_pods(in.shoot.provider.fabric);
  if (protocols.empty() || !is_routed(in)) return;
  std::vector<std::string> names;
  std::ranges::transform(protocols, std::back_inserter(names), name_of_protocol);
  report.add(
      fmt::format("the firewall between nodes allows only {}: it drops pods' packets of other "
                  "protocols",
                  fmt::join(names, ", ")));
}

/// Whether a CloudProfile of the input has the machine type.
bool has_machine_type(const manifest::PodNetworkSpec& spec, std::string_view type) {
  return spec.cloud_profile != nullptr &&
         std::ranges::find(spec.cloud_profile->machine_types, type, &manifest::MachineType::name) !=
             spec.cloud_profile->machine_types.end();
}

/// Whether the names of the table are a scheme of one installation, as those of OpenStack flavors
/// are: another installation has other names.
bool names_are_a_scheme(const provider::MachineTable& table) {
  return std::ranges::any_of(table.types, [](const provider::MachineType& type) {
    return type.name.find('*') != type.name.npos;
  });
}

/// Reports types that neither a CloudProfile of the input nor the figures of the provider have.
void check_machine_types(const LintInputs& in, RuleReport& report) {
  const auto tables = provider::machine_tables();
  const auto table = std::ranges::find(tables, in.shoot.provider.name,
                                       [](const auto* one) { return one->provider; });
  if (table == tables.end() || names_are_a_scheme(**table)) return;
  std::set<std::string_view> reported;
  for (const manifest::WorkerPool& pool : in.shoot.spec.shoot.workers) {
    const std::string& type = pool.machine_type;
    if (type.empty() || provider::find_machine_type((*table)->provider, type) ||
        has_machine_type(in.shoot.spec, type) || !reported.insert(type).second)
      continue;
    std::vector<std::string_view> names;
    std::ranges::transform((*table)->types, std::back_inserter(names),
                           &provider::MachineType::name);
    const std::string_view meant = document::closest(type, names);
    report.add("spec.provider.workers", pool.place,
               fmt::format("worker pool {}: the machine type {} is not known to Overlane ({}): its "
                           "cores and its bandwidth are assumed",
                           pool.name, type, (*table)->cloud),
               meant.empty() ? "" : fmt::format("did you mean {}?", meant));
  }
}

void check_closed_ports(const LintInputs& in, RuleReport& report) {
  const std::string_view closed = in.shoot.provider.fabric.closed_ports;
  if (!closed.empty() && !in.dataplane.opaque)
    report.add(fmt::format("the nodes' security group closes the ports {} to the VPC", closed));
}

void check_ovn(const LintInputs& in, RuleReport& report) {
  if (!in.dataplane.opaque && effective::drops_pod_sources(in.dataplane, in.dataplane.dataplane))
    report.add(
        "pods are routed, and OVN drops packets from pod addresses: the security group has no rule "
        "for them");
}

void check_unknown_ovn(const LintInputs& in, RuleReport& report) {
  if (!in.dataplane.opaque && !in.dataplane.ovn &&
      effective::shows_pod_sources(in.shoot.provider, in.dataplane.dataplane))
    report.add(
        "pods are routed, and OpenStack's network backend decides whether their addresses are "
        "allowed");
}

constexpr const char* kInfraflow =
    "gardener-extension-provider-<name> pkg/controller/infrastructure/infraflow";

constexpr Check<LintInputs> kFabricLints[] = {
    {{.id = "ipip-dropped-by-fabric",
      .section = "§4.7",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "IPIP is used where the network drops IP protocol 4.",
      .why = "Azure's network drops it silently: pods on different nodes cannot reach each other. "
             "VXLAN, which is UDP, is not dropped.",
      .remedy = "set vxlan.enabled: true, or overlay.enabled: false",
      .source = kInfraflow},
     check_dropped_ipip},
    {{.id = "ipip-single-flow",
      .section = "§4.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A per-flow limit of the network applies to all traffic of a tunnel.",
      .why = "IPIP has no ports: all traffic between two nodes shares the limit of one flow. VXLAN "
             "hashes inner flows into its source port, and routed pods have flows of their own.",
      .remedy = "set overlay.enabled: false, or create the shoot with vxlan.enabled: true",
      .source = "Amazon EC2 user guide, instance network bandwidth"},
     check_single_flow},
    {{.id = "machine-type-unknown",
      .section = "§4.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A worker pool's machine type is not known.",
      .why = "The name may be misspelt, or the type newer than Overlane. Runs assume its cores and "
             "its bandwidth.",
      .remedy = "correct machine.type, or pass the CloudProfile that has the type",
      .source = "topologies/provider"},
     check_machine_types},
    {{.id = "alicloud-ipip-by-default-access",
      .section = "§4.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "IPIP on Alibaba Cloud depends on the security group's default inner access.",
      .why = "No rule of the shoot's group allows IPIP between nodes. It is allowed because "
             "members of a group reach each other by default; without that access, all traffic "
             "between pods stops.",
      .remedy = "keep the group's inner access, or set overlay.enabled: false",
      .source = kInfraflow},
     check_inner_group},
    {{.id = "gcp-other-protocols",
      .section = "§4.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "GCP drops routed pod packets that are not ICMP, TCP, UDP or IPIP.",
      .why = "The shoot's firewall rule names these protocols only. SCTP, for example, works "
             "between nodes only inside a tunnel.",
      .remedy = "add a firewall rule to the VPC where pods need more",
      .source = kInfraflow},
     check_other_protocols},
    {{.id = "alicloud-closed-ports",
      .section = "§4.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Ports 23 and 514 of Alibaba Cloud nodes are closed to others in the VPC.",
      .why = "The nodes' security group opens all ports to the VPC but these two.",
      .remedy = "use other ports",
      .source = kInfraflow},
     check_closed_ports},
    {{.id = "openstack-pod-sources-dropped",
      .section = "§4.7",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "OVN drops packets from pod addresses of a routed OpenStack shoot.",
      .why = "The nodes' security group allows its own members, which with OVN are the ports' "
             "fixed addresses only: pods on different nodes cannot reach each other.",
      .remedy = "set overlay.enabled: true, or add the pods' range to the security group",
      .source = "gardener-extension-provider-openstack issue 1404"},
     check_ovn},
    {{.id = "openstack-port-security",
      .section = "§4.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "OpenStack port security may drop packets from pod addresses.",
      .why = "Pod ranges are in the allowed address pairs of each port. With OVN these do not "
             "apply to the rule between members of the security group.",
      .remedy = "set the backend: --set landscape.openstack.ovn=true or false",
      .source = "gardener-extension-provider-openstack issue 1404"},
     check_unknown_ovn},
};

}  // namespace

std::span<const Check<LintInputs>> fabric_lints() {
  return kFabricLints;
}

using effective::Stage;
namespace {

void check_customizer(const LintInputs& in, RuleReport& report) {
  const auto& customizer = in.shoot.spec.shoot.infrastructure.mtu_customizer;
  if (in.shoot.provider.machines.customized_mtu != 0 && customizer && customizer->value)
    report.add(*customizer,
               fmt::format("every NIC gets the MTU {}, but the VPC supports {}",
                           in.shoot.link_mtu.value, in.shoot.provider.fabric.link_mtu),
               "set enableMTUCustomizer: false; then " +
                   node_replacement(in.shoot.spec.shoot, "roll the nodes"));
}

void check_customizer_unset(const LintInputs& in, RuleReport& report) {
  if (const auto other = effective::other_link_mtu(in.shoot.spec, in.shoot.provider, in.shoot.stage,
                                                   in.shoot.link_mtu))
    report.add(fmt::format(
        "the live shoot does not set enableMTUCustomizer: its nodes' MTU may be {} instead of {}",
        *other, in.shoot.link_mtu.value));
}

constexpr Check<LintInputs> kLinkMtuLints[] = {
    {{.id = "aws-mtu-customizer",
      .section = "§2.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "AWS nodes are forced to a smaller MTU than the VPC supports.",
      .why = "enableMTUCustomizer sets one MTU without jumbo frames on every NIC, although most "
             "instance "
             "types have them: six times as many packets for the same data.",
      .remedy = "set enableMTUCustomizer: false and roll the nodes",
      .source = "gardener-extension-provider-aws docs/usage/usage.md"},
     check_customizer},
    {{.id = "aws-mtu-customizer-unset",
      .section = "§2.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A live AWS shoot does not say whether its nodes' MTU is forced.",
      .why = "The field is documented as true by default, while admission writes false into new "
             "shoots. An older shoot without it may have the smaller MTU.",
      .remedy =
          "check a node's MTU, and write enableMTUCustomizer or pass --set landscape.link-mtu=N",
      .source = "gardener-extension-provider-aws docs/usage/usage.md"},
     check_customizer_unset},
};

}  // namespace

std::span<const Check<LintInputs>> link_mtu_lints() {
  return kLinkMtuLints;
}

}  // namespace overlane::rules
