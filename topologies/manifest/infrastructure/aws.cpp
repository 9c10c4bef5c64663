#include <algorithm>

#include "topologies/manifest/infrastructure/decoders.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Value;

InfrastructureZone decode_aws_zone(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  InfrastructureZone zone{.name = fields.string("name").value_or(""), .place = item.place()};
  zone.workers = given_cidr(fields, "workers");
  zone.internal = given_cidr(fields, "internal");
  zone.public_subnet = given_cidr(fields, "public");
  zone.workers_subnet_id = given_string(fields, "workersSubnetID");
  zone.internal_subnet_id = given_string(fields, "internalSubnetID");
  zone.public_subnet_id = given_string(fields, "publicSubnetID");
  zone.elastic_ip = given_string(fields, "elasticIPAllocationID");
  fields.warn_others();
  return zone;
}

/// The 2019 format: one list of ranges per use in `networks`, and a parallel list of zone names.
void decode_parallel_lists(Fields& config, Fields& networks, Infrastructure& out) {
  const std::vector<Located<IpPrefix>> workers = given_cidrs(networks, "workers");
  const std::vector<Located<IpPrefix>> internal = given_cidrs(networks, "internal");
  const std::vector<Located<IpPrefix>> outside = given_cidrs(networks, "public");
  const std::vector<std::string> names = config.strings("zones");
  const auto at = [](const std::vector<Located<IpPrefix>>& list, std::size_t i) {
    return i < list.size() ? Field<IpPrefix>(list[i]) : std::nullopt;
  };
  for (std::size_t i = 0; i < std::max(names.size(), workers.size()); ++i)
    out.zones.push_back({.name = i < names.size() ? names[i] : "",
                         .place = i < workers.size() ? workers[i].place : SourceLocation(),
                         .workers = at(workers, i),
                         .internal = at(internal, i),
                         .public_subnet = at(outside, i)});
}

}  // namespace

void decode_aws(Fields& config, Infrastructure& out) {
  config.ignore(
      {"enableECRAccess", "ignoreTags", "enableDedicatedTenancyForVPC", "elasticFileSystem"});
  out.mtu_customizer = given_bool(config, "enableMTUCustomizer");
  out.dual_stack = given_switch(config, "dualStack");
  Fields networks = config.fields("networks");
  Fields vpc = networks.fields("vpc");
  out.network_id = given_string(vpc, "id");
  out.network_cidr = given_cidr(vpc, "cidr");
  out.gateway_endpoints = vpc.strings("gatewayEndpoints");
  out.ipv6_pool = given_reference(vpc, "ipv6IpamPool", "id");
  vpc.ignore({"cidrBlock"});
  vpc.warn_others();
  out.nodes_security_group = given_string(networks, "nodesSecurityGroupID");
  const Value zones = networks.list("zones");
  out.zones.reserve(zones.size());
  for (const Value item : zones)
    out.zones.push_back(decode_aws_zone(item, networks.problems()));
  if (out.zones.empty()) decode_parallel_lists(config, networks, out);
  networks.warn_others();
}

void observe_aws(Fields& status, ObservedInfrastructure& out) {
  Fields vpc = status.fields("vpc");
  out.network_id = given_string(vpc, "id");
  out.subnets = observed_subnets(vpc, "subnets");
}

}  // namespace overlane::manifest
