#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "topologies/rules/rule_tables.h"

// Rules about the InfrastructureConfig: required parts, subnets that must lie in their VPC and in
// the node range, and fields that exclude each other because a network is either created by
// Gardener or existed before.
namespace overlane::rules {

using effective::NetworkInputs;
using effective::Provider;
using effective::Stage;
namespace {

/// Whether missing parts are violations. They are not in a live object, which was admitted, so that
/// its document is only incomplete, and not in a Network, which never has these parts.
bool is_complete(const NetworkInputs& in) {
  return in.stage == Stage::Create && in.spec.object.kind == "Shoot" && in.spec.shoot.provider;
}

void check_nodes(const NetworkInputs& in, RuleReport& report) {
  const bool required = in.provider.admission.nodes_required && in.families.has(Family::Ipv4);
  if (is_complete(in) && required && !in.spec.shoot.nodes)
    report.add("spec.networking.nodes", in.spec.place,
               fmt::format("provider {} requires spec.networking.nodes", in.provider.name));
}

void check_workers(const NetworkInputs& in, RuleReport& report) {
  if (is_complete(in) && in.spec.shoot.workers.empty())
    report.add("spec.provider.workers", in.spec.place,
               "the shoot has no workers, but a network type: Gardener treats it as workerless, "
               "and a workerless shoot must not set type, providerConfig, pods or nodes");
}

void check_vpc(const NetworkInputs& in, RuleReport& report) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  if (!is_complete(in) || !in.provider.infrastructure.names_or_gives_vpc ||
      infrastructure.zones.empty() || infrastructure.network_id || infrastructure.network_cidr)
    return;
  report.add("spec.provider.infrastructureConfig.networks", infrastructure.zones.front().place,
             "the infrastructureConfig has zones, but neither vpc.id nor vpc.cidr");
}

void check_zones(const NetworkInputs& in, RuleReport& report) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  const auto& id = infrastructure.network_id;
  if (!is_complete(in) || !in.provider.infrastructure.zones_required ||
      !infrastructure.zones.empty())
    return;
  if (id)
    report.add(*id, "the infrastructureConfig names a VPC, but no zones");
  else if (infrastructure.network_cidr)
    report.add(*infrastructure.network_cidr, "the infrastructureConfig gives a VPC, but no zones");
}

/// Whether there is an infrastructureConfig, judged by its decoded fields.
bool gives_network(const manifest::Infrastructure& infrastructure) {
  return infrastructure.network_id || infrastructure.network_cidr || infrastructure.internal_cidr ||
         infrastructure.floating_pool || infrastructure.zoned || infrastructure.cloud_nat ||
         infrastructure.mtu;
}

void check_worker_range(const NetworkInputs& in, RuleReport& report) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  const bool is_required = in.provider.infrastructure.workers_range_required;
  const bool otherwise =
      !infrastructure.zones.empty() || infrastructure.subnet_name || infrastructure.subnet_pool;
  if (is_complete(in) && is_required && gives_network(infrastructure) &&
      !infrastructure.workers_cidr && !otherwise)
    report.add("spec.provider.infrastructureConfig.networks", in.spec.place,
               "the infrastructureConfig gives no range for the workers' subnet");
}

void check_cloud_router(const NetworkInputs& in, RuleReport& report) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  if (is_complete(in) && in.provider.infrastructure.router_required && infrastructure.network_id &&
      !infrastructure.cloud_router)
    report.add(*infrastructure.network_id, "an existing VPC is named without its cloud router");
}

constexpr Check<NetworkInputs> kMissingPartChecks[] = {
    {{.id = "nodes-required",
      .section = "§2.6",
      .title = "networking.nodes is missing.",
      .why = "The providers' validators require the node range; for an IPv6-only shoot the cloud "
             "chooses it. Where it is missing, Overlane assumes a usual one.",
      .remedy = "give the range of the nodes, such as 10.250.0.0/16",
      .source = "gardener-extension-provider-<name> pkg/apis/<name>/validation/shoot.go"},
     check_nodes},
    {{.id = "workerless-with-network",
      .section = "§1.2",
      .title = "A shoot with a pod network has no workers.",
      .why = "Gardener's validation forbids networking.type, providerConfig, pods and nodes in a "
             "shoot without workers.",
      .remedy = "give spec.provider.workers, or remove the network type",
      .source = "gardener/gardener pkg/api/core/validation/shoot.go"},
     check_workers},
    {{.id = "vpc-without-id-and-cidr",
      .section = "§1.6",
      .title = "The infrastructureConfig does not say which VPC to use.",
      .why =
          "Exactly one of vpc.id and vpc.cidr is required; the validator refuses zones without a "
          "VPC.",
      .remedy = "give vpc.cidr for a new VPC, or the vpc.id of an existing one",
      .source = "gardener-extension-provider-aws pkg/apis/aws/validation/infrastructure.go"},
     check_vpc},
    {{.id = "aws-zones-required",
      .section = "§1.6",
      .title = "The AWS infrastructureConfig has no zone with subnets.",
      .why = "The validator refuses an infrastructureConfig without networks.zones: nodes would "
             "have no subnet.",
      .remedy = "give networks.zones with workers, internal and public",
      .source = "gardener-extension-provider-aws pkg/apis/aws/validation/infrastructure.go"},
     check_zones},
    {{.id = "worker-range-required",
      .section = "§1.6",
      .title = "The infrastructureConfig does not give the workers' range.",
      .why = "The validators refuse an infrastructureConfig without networks.workers or its "
             "alternatives zones (azure) and subnetPool (openstack).",
      .remedy = "give networks.workers",
      .source = "gardener-extension-provider-<name> pkg/apis/<name>/validation/infrastructure.go"},
     check_worker_range},
    {{.id = "gcp-cloud-router-required",
      .section = "§1.6",
      .title = "An existing GCP VPC is named without its cloud router.",
      .why = "The shoot's NAT gateway is created at that router; the validator refuses vpc.name "
             "without vpc.cloudRouter.name.",
      .remedy = "give vpc.cloudRouter.name",
      .source = "gardener-extension-provider-gcp pkg/apis/gcp/validation/infrastructure.go"},
     check_cloud_router},
};

}  // namespace

std::span<const Check<NetworkInputs>> missing_part_checks() {
  return kMissingPartChecks;
}

using effective::GivenRange;
using effective::RangeRole;
namespace {

using manifest::Field;
using manifest::Located;

/// The comparisons of the provider's validator.
const provider::Infrastructure& compared(const NetworkInputs& in) {
  return in.provider.infrastructure;
}

using Subnets = std::vector<const Located<IpPrefix>*>;

void add(const Field<IpPrefix>& field, Subnets& subnets) {
  if (field) subnets.push_back(&*field);
}

Subnets worker_subnets(const NetworkInputs& in) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  Subnets subnets;
  add(infrastructure.workers_cidr, subnets);
  for (const manifest::InfrastructureZone& zone : infrastructure.zones)
    add(zone.workers, subnets);
  return subnets;
}

Subnets all_subnets(const NetworkInputs& in) {
  Subnets subnets = worker_subnets(in);
  for (const manifest::InfrastructureZone& zone : in.spec.shoot.infrastructure.zones) {
    add(zone.internal, subnets);
    add(zone.public_subnet, subnets);
  }
  return subnets;
}

template <typename Wanted>
Subnets ranges_of(const NetworkInputs& in, Wanted wanted) {
  Subnets ranges;
  for (const GivenRange& range : in.addressing.given)
    if (wanted(range.role)) ranges.push_back(range.given);
  return ranges;
}

Subnets pods_and_services(const NetworkInputs& in) {
  return ranges_of(in, [](RangeRole role) { return role != RangeRole::Nodes; });
}

Subnets nodes_of(const NetworkInputs& in) {
  return ranges_of(in, [](RangeRole role) { return role == RangeRole::Nodes; });
}

std::string written(const Located<IpPrefix>& range) {
  return fmt::format("{} {}", range.path, range.value.to_string());
}

/// Whether `inner` is not inside `outer`; false for ranges of different families.
bool outside(const Located<IpPrefix>& inner, const Located<IpPrefix>& outer) {
  return inner.value.is_ipv4() == outer.value.is_ipv4() && !outer.value.contains(inner.value);
}

void report_outside(const Subnets& inner, const Located<IpPrefix>& outer, RuleReport& report) {
  for (const Located<IpPrefix>* subnet : inner)
    if (outside(*subnet, outer))
      report.add(*subnet, fmt::format("{} lies outside {}", written(*subnet), written(outer)));
}

void check_within_network(const NetworkInputs& in, RuleReport& report) {
  const Field<IpPrefix>& network = in.spec.shoot.infrastructure.network_cidr;
  if (!compared(in).subnets_within_network || !network) return;
  report_outside(all_subnets(in), *network, report);
  report_outside(nodes_of(in), *network, report);
}

void check_within_nodes(const NetworkInputs& in, RuleReport& report) {
  const Subnets nodes = nodes_of(in);
  if (compared(in).workers_within_nodes && !nodes.empty())
    report_outside(worker_subnets(in), *nodes.front(), report);
}

void check_disjoint_subnets(const NetworkInputs& in, RuleReport& report) {
  if (!compared(in).subnets_disjoint) return;
  const Subnets subnets = all_subnets(in);
  for (std::size_t i = 0; i < subnets.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (subnets[i]->value.overlaps(subnets[j]->value))
        report.add(*subnets[i],
                   fmt::format("{} overlaps {}", written(*subnets[i]), written(*subnets[j])));
}

void compare_ranges(const NetworkInputs& in, const Subnets& subnets, RuleReport& report) {
  for (const Located<IpPrefix>* range : pods_and_services(in))
    for (const Located<IpPrefix>* subnet : subnets)
      if (range->value.overlaps(subnet->value))
        report.add(*range, fmt::format("{} overlaps {}", written(*range), written(*subnet)));
}

void check_ranges_of_network(const NetworkInputs& in, RuleReport& report) {
  Subnets network;
  add(in.spec.shoot.infrastructure.network_cidr, network);
  if (compared(in).pods_outside_network) compare_ranges(in, network, report);
}

void check_ranges_of_subnets(const NetworkInputs& in, RuleReport& report) {
  if (compared(in).pods_outside_subnets) compare_ranges(in, all_subnets(in), report);
}

void check_internal(const NetworkInputs& in, RuleReport& report) {
  const Field<IpPrefix>& internal = in.spec.shoot.infrastructure.internal_cidr;
  if (!compared(in).internal_apart || !internal) return;
  Subnets others = ranges_of(in, [](RangeRole) { return true; });
  add(in.spec.shoot.infrastructure.workers_cidr, others);
  for (const Located<IpPrefix>* other : others)
    if (internal->value.overlaps(other->value))
      report.add(*internal, fmt::format("{} overlaps {}", written(*internal), written(*other)));
}

constexpr const char* kInfrastructureValidator =
    "gardener-extension-provider-<name> pkg/apis/<name>/validation/infrastructure.go";

constexpr Check<NetworkInputs> kInfrastructureChecks[] = {
    {{.id = "subnet-outside-network",
      .section = "§3.3",
      .title = "A node range or subnet is outside the VPC or vnet that Gardener creates.",
      .why = "The validators of aws, azure and alicloud refuse an infrastructureConfig whose "
             "subnets do not fit into its own network.",
      .remedy = "choose ranges within the network, or enlarge it",
      .source = kInfrastructureValidator},
     check_within_network},
    {{.id = "workers-outside-nodes",
      .section = "§3.3",
      .title = "A workers' subnet is outside the node range.",
      .why = "Components that use networking.nodes would not cover a node outside it; the "
             "providers' validators refuse it.",
      .remedy = "enlarge networking.nodes, or choose subnets within it",
      .source = kInfrastructureValidator},
     check_within_nodes},
    {{.id = "subnets-overlap",
      .section = "§3.3",
      .title = "Subnets of the zones overlap.",
      .why = "No cloud allows overlapping subnets; the validators of aws, azure and alicloud "
             "refuse them.",
      .remedy = "give each zone its own ranges",
      .source = kInfrastructureValidator},
     check_disjoint_subnets},
    {{.id = "ranges-overlap-network",
      .section = "§3.3",
      .title = "The pod or service range overlaps the VPC or vnet that Gardener creates.",
      .why = "An address of the network could then be a pod's or service's; the validators of aws, "
             "azure and alicloud refuse it.",
      .remedy = "choose another range for the network, or for pods or services",
      .source = kInfrastructureValidator},
     check_ranges_of_network},
    {{.id = "ranges-overlap-subnets",
      .section = "§3.3",
      .title = "The pod or service range overlaps a subnet of the zones.",
      .why = "Traffic to such a subnet would reach pods or services instead; the validators of "
             "aws, azure and alicloud refuse it.",
      .remedy = "choose another range for the subnet, or for pods or services",
      .source = kInfrastructureValidator},
     check_ranges_of_subnets},
    {{.id = "internal-range-overlaps",
      .section = "§3.3",
      .title = "The GCP range for internal load balancers overlaps another range.",
      .why = "The validator refuses networks.internal where it overlaps pods, services, nodes or "
             "workers.",
      .remedy = "choose another networks.internal",
      .source = "gardener-extension-provider-gcp pkg/apis/gcp/validation/infrastructure.go"},
     check_internal},
};

}  // namespace

std::span<const Check<NetworkInputs>> infrastructure_checks() {
  return kInfrastructureChecks;
}

namespace {

void check_both(const NetworkInputs& in, RuleReport& report) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  if (in.provider.infrastructure.names_or_gives_vpc && infrastructure.network_id &&
      infrastructure.network_cidr)
    report.add(*infrastructure.network_cidr,
               fmt::format("both {} and {} are given", infrastructure.network_id->path,
                           infrastructure.network_cidr->path));
}

void check_mtu_of_existing(const NetworkInputs& in, RuleReport& report) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  if (in.provider.infrastructure.mtu_of_new_network_only && infrastructure.mtu &&
      infrastructure.network_id)
    report.add(*infrastructure.mtu,
               fmt::format("{} is given for the existing network {}", infrastructure.mtu->path,
                           infrastructure.network_id->value));
}

constexpr const char* kAzure =
    "gardener-extension-provider-azure pkg/apis/azure/validation/infrastructure.go";

bool has_resource_groups(const NetworkInputs& in) {
  return in.provider.infrastructure.has_resource_groups;
}

void check_half_named(const NetworkInputs& in, RuleReport& report) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  const auto& name = infrastructure.network_id;
  const auto& group = infrastructure.resource_group;
  if (!has_resource_groups(in)) return;
  if (name && !group) report.add(*name, "vnet.name is given without vnet.resourceGroup");
  if (group && !name) report.add(*group, "vnet.resourceGroup is given without vnet.name");
}

void check_existing_cidr(const NetworkInputs& in, RuleReport& report) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  if (has_resource_groups(in) && infrastructure.network_id && infrastructure.network_cidr)
    report.add(*infrastructure.network_cidr,
               fmt::format("{} is given for the existing vnet {}",
                           infrastructure.network_cidr->path, infrastructure.network_id->value));
}

void check_layouts(const NetworkInputs& in, RuleReport& report) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  if (has_resource_groups(in) && infrastructure.workers_cidr && !infrastructure.zones.empty())
    report.add(*infrastructure.workers_cidr,
               fmt::format("{} is given together with zones", infrastructure.workers_cidr->path));
}

void check_zoned(const NetworkInputs& in, RuleReport& report) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  const bool zoned = infrastructure.zoned && infrastructure.zoned->value;
  if (has_resource_groups(in) && !zoned && !infrastructure.zones.empty())
    report.add("spec.provider.infrastructureConfig.networks.zones",
               infrastructure.zones.front().place, "zones are given in a shoot that is not zoned");
}

constexpr Check<NetworkInputs> kNetworkIdentityChecks[] = {
    {{.id = "vpc-id-and-cidr",
      .section = "§1.6",
      .title = "A VPC has both an id and a CIDR.",
      .why =
          "An id names an existing VPC, a CIDR creates one; the validator refuses both together.",
      .remedy = "remove vpc.id or vpc.cidr",
      .source = "gardener-extension-provider-aws pkg/apis/aws/validation/infrastructure.go"},
     check_both},
    {{.id = "mtu-of-existing-network",
      .section = "§1.6",
      .title = "networks.mtu is set for an existing GCP network.",
      .why = "Gardener does not change the MTU of an existing VPC network; the validator refuses "
             "the field together with vpc.name.",
      .remedy = "remove networks.mtu",
      .source = "gardener-extension-provider-gcp pkg/apis/gcp/validation/infrastructure.go"},
     check_mtu_of_existing},
    {{.id = "azure-vnet-half-named",
      .section = "§1.6",
      .title = "An existing Azure vnet is named without its resource group, or the reverse.",
      .why = "Both are needed to identify the vnet; the validator refuses one alone.",
      .remedy = "give vnet.name and vnet.resourceGroup",
      .source = kAzure},
     check_half_named},
    {{.id = "azure-cidr-of-existing-vnet",
      .section = "§1.6",
      .title = "vnet.cidr is set for an existing Azure vnet.",
      .why = "Gardener does not change the range of an existing vnet; the validator refuses the "
             "field together with vnet.name.",
      .remedy = "remove vnet.cidr",
      .source = kAzure},
     check_existing_cidr},
    {{.id = "azure-workers-and-zones",
      .section = "§1.6",
      .title = "Azure workers have both one subnet and a subnet for each zone.",
      .why = "networks.workers and networks.zones are two layouts; the validator refuses both "
             "together.",
      .remedy = "remove networks.workers or networks.zones",
      .source = kAzure},
     check_layouts},
    {{.id = "azure-zones-without-zoned",
      .section = "§1.6",
      .title = "Azure zones have subnets, but zoned: true is missing.",
      .why = "The validator refuses networks.zones in a shoot that is not zoned.",
      .remedy = "set zoned: true in the infrastructureConfig",
      .source = kAzure},
     check_zoned},
};

}  // namespace

std::span<const Check<NetworkInputs>> network_identity_checks() {
  return kNetworkIdentityChecks;
}

}  // namespace overlane::rules
