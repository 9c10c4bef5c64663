#include <fmt/format.h>

#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::NetworkInputs;
using effective::Provider;
using effective::Stage;
namespace {

/// Whether missing parts matter. A live object was admitted, so its document is only incomplete; a
/// Network never has these parts.
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

/// Whether there is an infrastructureConfig, as far as its decoded fields show.
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

}  // namespace overlane::rules
