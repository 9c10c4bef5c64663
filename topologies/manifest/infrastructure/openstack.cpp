#include "topologies/manifest/infrastructure/decoders.h"

namespace overlane::manifest {

using document::Fields;

void decode_openstack(Fields& config, Infrastructure& out) {
  out.floating_pool = given_string(config, "floatingPoolName");
  config.ignore({"floatingPoolSubnetName"});
  Fields networks = config.fields("networks");
  out.network_id = given_reference(networks, "router", "id");
  out.subnet_network = given_string(networks, "id");
  out.workers_cidr = given_cidr(networks, "workers", "worker");
  out.subnet_pool = given_reference(networks, "subnetPool", "id", {"prefixLength"});
  out.ipv6_networks = given_presence(networks, "ipv6");
  Fields ipv6 = networks.fields("ipv6");
  out.ipv6_pool = given_string(ipv6, "subnetPoolID");
  out.ipv6_nodes = given_cidr(ipv6, "nodeCIDR");
  out.ipv6_pods = given_cidr(ipv6, "podCIDR");
  out.ipv6_services = given_cidr(ipv6, "serviceCIDR");
  ipv6.warn_others();
  networks.ignore({"shareNetwork", "dnsServers", "subnetId", "subnetID"});
  networks.warn_others();
}

void observe_openstack(Fields& status, ObservedInfrastructure& out) {
  Fields networks = status.fields("networks");
  Fields router = networks.fields("router");
  out.network_id = given_string(router, "id");
  out.subnet_network = given_string(networks, "id");
  out.subnets = observed_subnets(networks, "subnets");
}

}  // namespace overlane::manifest
