#include "topologies/manifest/infrastructure/decoders.h"

namespace overlane::manifest {

using document::Fields;

namespace {

/// gardener-extension-provider-gcp docs/usage/usage.md: networks.mtu.
constexpr Bounds kNetworkMtu{1300, 8896};

}  // namespace

void decode_gcp(Fields& config, Infrastructure& out) {
  Fields networks = config.fields("networks");
  networks.ignore({"flowLogs"});
  Fields vpc = networks.fields("vpc");
  out.network_id = given_string(vpc, "name");
  out.cloud_router = given_reference(vpc, "cloudRouter", "name");
  vpc.ignore({"enablePrivateGoogleAccess"});
  vpc.warn_others();
  out.workers_cidr = given_cidr(networks, "workers", "worker");
  out.internal_cidr = given_cidr(networks, "internal");
  out.cloud_nat = given_presence(networks, "cloudNAT");
  out.mtu = given_integer(networks, "mtu", kNetworkMtu);
  out.dual_stack = given_switch(networks, "dualStack", {"ipv6CidrRange"});
  networks.warn_others();
}

void observe_gcp(Fields& status, ObservedInfrastructure& out) {
  Fields networks = status.fields("networks");
  Fields vpc = networks.fields("vpc");
  out.network_id = given_string(vpc, "name");
  Fields router = vpc.fields("cloudRouter");
  out.cloud_router = given_string(router, "name");
  out.subnets = observed_subnets(networks, "subnets");
}

}  // namespace overlane::manifest
