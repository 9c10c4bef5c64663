#include <fmt/format.h>

#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::NetworkInputs;
using effective::Provider;
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
