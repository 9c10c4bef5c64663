#include <fmt/format.h>

#include "topologies/effective/subject_tables.h"

namespace overlane::effective {
namespace {

void check_both(const NetworkInputs& in, RuleReport& report) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  if (in.rules.makes_vpcs && infrastructure.network_id && infrastructure.network_cidr)
    report.add(*infrastructure.network_cidr,
               fmt::format("both {} and {} are given", infrastructure.network_id->path,
                           infrastructure.network_cidr->path));
}

void check_mtu_of_existing(const NetworkInputs& in, RuleReport& report) {
  const manifest::Infrastructure& infrastructure = in.spec.shoot.infrastructure;
  if (in.rules.provider == Provider::Gcp && infrastructure.mtu && infrastructure.network_id)
    report.add(*infrastructure.mtu,
               fmt::format("{} is given for the existing network {}", infrastructure.mtu->path,
                           infrastructure.network_id->value));
}

constexpr Check<NetworkInputs> kChecks[] = {
    {{.id = "vpc-id-and-cidr",
      .section = "§1.6",
      .title = "On aws and alicloud a VPC is either an existing one or has a range.",
      .why = "An id names an existing VPC, a range makes a new one; the validator refuses both "
             "together.",
      .remedy = "remove vpc.id or vpc.cidr",
      .source = "gardener-extension-provider-aws pkg/apis/aws/validation/infrastructure.go"},
     check_both},
    {{.id = "mtu-of-existing-network",
      .section = "§1.6",
      .title = "On gcp networks.mtu is for networks that Gardener makes.",
      .why = "The MTU of an existing VPC network is its owner's; the validator refuses the field "
             "beside vpc.name.",
      .remedy = "remove networks.mtu",
      .source = "gardener-extension-provider-gcp pkg/apis/gcp/validation/infrastructure.go"},
     check_mtu_of_existing},
};

}  // namespace

std::span<const Check<NetworkInputs>> network_identity_checks() {
  return kChecks;
}

}  // namespace overlane::effective
