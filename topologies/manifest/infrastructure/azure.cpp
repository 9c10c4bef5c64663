#include <fmt/format.h>

#include "topologies/manifest/infrastructure/decoders.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Value;

/// Azure numbers its zones; worker pools name them "1", "2", "3".
InfrastructureZone decode_azure_zone(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  const auto number = fields.integer("name");
  InfrastructureZone zone{.name = number ? fmt::to_string(*number) : "", .place = item.place()};
  zone.workers = given_cidr(fields, "cidr");
  fields.ignore({"natGateway", "serviceEndpoints"});
  fields.warn_others();
  return zone;
}

}  // namespace

void decode_azure(Fields& config, Infrastructure& out) {
  config.ignore({"resourceGroup", "identity"});
  out.zoned = given_bool(config, "zoned");
  Fields networks = config.fields("networks");
  Fields vnet = networks.fields("vnet");
  out.network_id = given_string(vnet, "name");
  out.resource_group = given_string(vnet, "resourceGroup");
  out.network_cidr = given_cidr(vnet, "cidr");
  vnet.ignore({"ddosProtectionPlanID"});
  vnet.warn_others();
  out.subnet_name = given_reference(networks, "subnet", "name");
  out.workers_cidr = given_cidr(networks, "workers");
  out.nat_gateway = given_switch(networks, "natGateway",
                                 {"idleConnectionTimeoutMinutes", "zone", "sku", "ipAddresses"});
  networks.ignore({"serviceEndpoints"});
  for (const Value item : networks.list("zones"))
    out.zones.push_back(decode_azure_zone(item, networks.problems()));
  networks.warn_others();
}

void observe_azure(Fields& status, ObservedInfrastructure& out) {
  Fields networks = status.fields("networks");
  Fields vnet = networks.fields("vnet");
  out.network_id = given_string(vnet, "name");
  out.resource_group = given_string(vnet, "resourceGroup");
  Fields group = status.fields("resourceGroup");
  if (!out.resource_group) out.resource_group = given_string(group, "name");
  out.outbound_access = given_string(networks, "outboundAccessType");
  out.subnets = observed_subnets(networks, "subnets");
  for (const Value table : status.list("routeTables"))
    out.route_tables.emplace_back(table["name"].text());
}

}  // namespace overlane::manifest
