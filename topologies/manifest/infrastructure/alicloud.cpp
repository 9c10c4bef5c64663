#include "topologies/manifest/infrastructure/decoders.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Value;

InfrastructureZone decode_alicloud_zone(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  InfrastructureZone zone{.name = fields.string("name").value_or(""), .place = item.place()};
  zone.workers = given_cidr(fields, "workers", "worker");
  zone.elastic_ip = given_reference(fields, "natGateway", "eipAllocationID");
  fields.ignore({"ipv6CidrBlock"});
  fields.warn_others();
  return zone;
}

}  // namespace

void decode_alicloud(Fields& config, Infrastructure& out) {
  config.ignore({"metadata"});
  out.dual_stack = given_switch(config, "dualStack");
  Fields networks = config.fields("networks");
  Fields vpc = networks.fields("vpc");
  out.network_id = given_string(vpc, "id");
  out.network_cidr = given_cidr(vpc, "cidr");
  out.nat_gateway = given_bool(vpc, "gardenerManagedNATGateway");
  out.custom_route_table = given_bool(vpc, "useCustomRouteTable");
  vpc.ignore({"bandwidth"});
  vpc.warn_others();
  for (const Value item : networks.list("zones"))
    out.zones.push_back(decode_alicloud_zone(item, networks.problems()));
  networks.warn_others();
}

void observe_alicloud(Fields& status, ObservedInfrastructure& out) {
  Fields vpc = status.fields("vpc");
  out.network_id = given_string(vpc, "id");
  out.subnets = observed_subnets(vpc, "vswitches");
}

}  // namespace overlane::manifest
