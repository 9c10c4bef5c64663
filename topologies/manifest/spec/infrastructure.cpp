#include "topologies/manifest/spec/infrastructure.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

namespace overlane::manifest {

namespace {

using document::Fields;
using document::Problems;
using document::Value;

/// The field `enabled` of the block `key`. Fields of the block in `others` are known and ignored.
Field<bool> given_switch(Fields& fields, std::string_view key,
                         std::initializer_list<std::string_view> others = {}) {
  Fields block = fields.fields(key);
  block.ignore(others);
  Field<bool> enabled = given_bool(block, "enabled");
  block.warn_others();
  return enabled;
}

/// The field `inner` of the block `key`: a reference to an existing resource.
Field<std::string> given_reference(Fields& fields, std::string_view key, std::string_view inner,
                                   std::initializer_list<std::string_view> others = {}) {
  Fields block = fields.fields(key);
  block.ignore(others);
  Field<std::string> reference = given_string(block, inner);
  block.warn_others();
  return reference;
}

/// True if the block `key` exists; absent otherwise.
Field<bool> given_presence(Fields& fields, std::string_view key) {
  const Value block = fields.mapping(key);
  if (!block) return std::nullopt;
  return Located<bool>{true, block.place(), document::FieldPath(block)};
}

/// Decodes a list of subnets, each with `id` or `name`, and with `purpose`, `zone` and `cidr`.
std::vector<ObservedSubnet> observed_subnets(Fields& fields, std::string_view key) {
  std::vector<ObservedSubnet> subnets;
  for (const Value item : fields.list(key)) {
    Fields subnet(item, fields.problems());
    subnets.push_back({.id = std::string((item["id"] ? item["id"] : item["name"]).text()),
                       .purpose = std::string(item["purpose"].text()),
                       .zone = std::string(item["zone"].text()),
                       .cidr = given_cidr(subnet, "cidr")});
  }
  return subnets;
}

// Two decoders per provider: decode_…() reads all fields of an InfrastructureConfig and warns about
// unknown fields; observe_…() reads the fields of an InfrastructureStatus that Overlane uses.

InfrastructureZone decode_alicloud_zone(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  InfrastructureZone zone{.name = fields.string("name").value_or(""), .place = item.place()};
  zone.workers = given_cidr(fields, "workers", "worker");
  zone.elastic_ip = given_reference(fields, "natGateway", "eipAllocationID");
  fields.ignore({"ipv6CidrBlock"});
  fields.warn_others();
  return zone;
}

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

/// Decodes the format of 2019: one list of ranges per purpose in `networks`, and a parallel list of
/// zone names.
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

/// Range of networks.mtu (gardener-extension-provider-gcp docs/usage/usage.md).
constexpr Bounds kNetworkMtu{1300, 8896};

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

/// Decodes both versions of provider hcloud (23technologies/gardener-extension-provider-hcloud
/// pkg/hcloud/apis/v1alpha1 and v1alpha2, types_infrastructure.go): v1alpha2 has
/// workersConfiguration in addition to the old workers.
void decode_hcloud(Fields& config, Infrastructure& out) {
  config.ignore({"floatingPoolName", "placementGroupQuantity"});
  Fields networks = config.fields("networks");
  Fields workers = networks.fields("workersConfiguration");
  out.workers_cidr = given_cidr(workers, "cidr");
  workers.ignore({"zone"});
  workers.warn_others();
  const Field<IpPrefix> old_workers = given_cidr(networks, "workers");
  if (!out.workers_cidr) out.workers_cidr = old_workers;
  networks.warn_others();
}

void decode_metal(Fields& config, Infrastructure& out) {
  out.partition = given_string(config, "partitionID");
  out.project = given_string(config, "projectID");
  Fields firewall = config.fields("firewall");
  out.firewall_networks = firewall.strings("networks");
  if (!out.partition) out.partition = given_string(firewall, "partition");
  firewall.ignore({"size", "image", "rateLimits", "egressRules", "initialRuleSet",
                   "logAcceptedConnections", "controllerVersion", "acceptlog", "partition",
                   "firewallHealthTimeout", "firewallCreateTimeout", "autoUpdateMachineImage"});
  firewall.warn_others();
}

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

/// The decoders of one provider.
struct ProviderDecoder {
  std::string_view provider;
  void (*config)(Fields&, Infrastructure&);
  void (*status)(Fields&, ObservedInfrastructure&);  ///< nullptr: no field of a status is used.
  std::string_view other_version = "";               ///< Accepted in addition to v1alpha1.
};

constexpr std::array kDecoders = {
    ProviderDecoder{"aws", decode_aws, observe_aws},
    ProviderDecoder{"gcp", decode_gcp, observe_gcp},
    ProviderDecoder{"azure", decode_azure, observe_azure},
    ProviderDecoder{"openstack", decode_openstack, observe_openstack},
    ProviderDecoder{"alicloud", decode_alicloud, observe_alicloud},
    ProviderDecoder{"metal", decode_metal, nullptr},
    // stackitcloud/gardener-extension-provider-stackit pkg/apis/stackit/v1alpha1: the fields of
    // OpenStack.
    ProviderDecoder{"stackit", decode_openstack, observe_openstack},
    ProviderDecoder{"hcloud", decode_hcloud, nullptr, "v1alpha2"},
};

constexpr std::string_view kGroupEnd = ".provider.extensions.gardener.cloud";
/// The end of old API groups, whose names did not contain `provider`.
constexpr std::string_view kOldGroupEnd = ".extensions.gardener.cloud";

std::string_view provider_of(std::string_view api_version) {
  const std::string_view group = api_version.substr(0, api_version.find('/'));
  for (const std::string_view end : {kGroupEnd, kOldGroupEnd})
    if (group.ends_with(end)) return group.substr(0, group.size() - end.size());
  return "";
}

const ProviderDecoder* decoder_of(std::string_view provider, const Value& config) {
  if (provider.empty()) provider = provider_of(config["apiVersion"].text());
  const auto found = std::ranges::find(kDecoders, provider, &ProviderDecoder::provider);
  return found == kDecoders.end() ? nullptr : &*found;
}

void check_type(const ProviderDecoder& decoder, std::string_view kind, Fields& fields) {
  Problems& problems = fields.problems();
  const Value version = fields.any("apiVersion");
  const Value given_kind = fields.any("kind");
  const std::string current = fmt::format("{}{}/v1alpha1", decoder.provider, kGroupEnd);
  const bool is_other =
      !decoder.other_version.empty() &&
      version.text() == fmt::format("{}{}/{}", decoder.provider, kGroupEnd, decoder.other_version);
  if (version && version.text() != current && !is_other) {
    const bool old = version.text() == fmt::format("{}{}/v1alpha1", decoder.provider, kOldGroupEnd);
    if (old)
      problems.warning(version, "deprecated-field",
                       fmt::format("{} is an old one; it is read like today's", version.path()),
                       "write " + current);
    else
      problems.error(version, "wrong-api-version",
                     fmt::format("{} is of another API than the provider {}", version.path(),
                                 decoder.provider),
                     "write " + current);
  }
  if (given_kind && given_kind.text() != kind)
    problems.error(given_kind, "wrong-kind", fmt::format("{} must be {}", given_kind.path(), kind),
                   fmt::format("write kind: {}", kind));
}

}  // namespace

void decode_infrastructure_config(std::string_view provider, const Value& config,
                                  Infrastructure& infrastructure, Problems& problems) {
  infrastructure.configured = bool(config);
  const ProviderDecoder* decoder = decoder_of(provider, config);
  if (decoder == nullptr || !config) return;
  Fields fields(config, problems);
  check_type(*decoder, "InfrastructureConfig", fields);
  decoder->config(fields, infrastructure);
  fields.warn_others();
}

void decode_infrastructure_status(std::string_view provider, const Value& status,
                                  ObservedInfrastructure& observed, Problems& problems) {
  const ProviderDecoder* decoder = decoder_of(provider, status);
  if (decoder == nullptr || decoder->status == nullptr || !status) return;
  Fields fields(status, problems);
  check_type(*decoder, "InfrastructureStatus", fields);
  decoder->status(fields, observed);
}

}  // namespace overlane::manifest
