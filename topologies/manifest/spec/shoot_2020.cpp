#include "topologies/manifest/spec/shoot_2020.h"

#include <algorithm>

#include "topologies/document/tree/tree.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Kind;
using document::Problems;
using document::Value;

/// The fields of spec.cloud.<provider>.networks: the key of an existing network, and whether lists
/// of ranges have one entry per zone.
struct Cloud2020 {
  std::string_view provider;
  std::string_view network;
  std::string_view id;
  bool by_zone = false;
};

constexpr Cloud2020 kClouds[] = {
    {"aws", "vpc", "id", true}, {"alicloud", "vpc", "id", true}, {"gcp", "vpc", "name"},
    {"azure", "vnet", "name"},  {"openstack", "router", "id"},   {"packet", "vpc", "id"},
};

/// A range, or a list of ranges on some providers.
std::vector<Located<IpPrefix>> ranges(Fields& networks, std::string_view key) {
  const Value value = networks.any(key);
  if (value.is(Kind::Sequence)) return given_cidrs(networks, key);
  const Field<IpPrefix> one = read_cidr(value, networks.problems());
  return one ? std::vector{*one} : std::vector<Located<IpPrefix>>();
}

Field<IpPrefix> at(const std::vector<Located<IpPrefix>>& list, std::size_t i) {
  return i < list.size() ? Field<IpPrefix>(list[i]) : std::nullopt;
}

void decode_zones(Fields& networks, const std::vector<std::string>& names, Infrastructure& out) {
  const auto workers = ranges(networks, "workers");
  const auto internal = ranges(networks, "internal");
  const auto outside = ranges(networks, "public");
  for (std::size_t i = 0; i < std::max(names.size(), workers.size()); ++i)
    out.zones.push_back({.name = i < names.size() ? names[i] : "",
                         .place = networks.value().place(),
                         .workers = at(workers, i),
                         .internal = at(internal, i),
                         .public_subnet = at(outside, i)});
}

/// The API's default: the VPC's range, else the workers' if there is only one.
Field<IpPrefix> default_nodes(const Cloud2020& cloud, const Infrastructure& infrastructure) {
  if (!cloud.by_zone) return infrastructure.workers_cidr;
  if (infrastructure.network_cidr) return infrastructure.network_cidr;
  const auto& zones = infrastructure.zones;
  return zones.size() == 1 ? zones.front().workers : std::nullopt;
}

void decode_networks(Fields networks, const Cloud2020& cloud, const std::vector<std::string>& zones,
                     PodNetworkSpec& spec) {
  spec.pods = given_cidr(networks, "pods");
  spec.services = given_cidr(networks, "services");
  spec.shoot.nodes = given_cidr(networks, "nodes");
  Infrastructure& out = spec.shoot.infrastructure;
  out.configured = bool(networks.value());
  Fields network = networks.fields(cloud.network);
  out.network_id = given_string(network, cloud.id);
  out.network_cidr = given_cidr(network, "cidr");
  out.resource_group = given_string(network, "resourceGroup");
  network.warn_others();
  if (cloud.by_zone) {
    decode_zones(networks, zones, out);
  } else {
    out.workers_cidr = at(ranges(networks, "workers"), 0);
    out.internal_cidr = at(ranges(networks, "internal"), 0);
  }
  networks.warn_others();
  if (!spec.shoot.nodes) spec.shoot.nodes = default_nodes(cloud, out);
}

void decode_provider(Fields provider, const Cloud2020& cloud, PodNetworkSpec& spec) {
  const std::vector<std::string> zones = provider.strings("zones");
  decode_networks(provider.fields("networks"), cloud, zones, spec);
  for (const Value worker : provider.list("workers")) {
    spec.shoot.workers.push_back(decode_worker_2020(worker, provider.problems()));
    spec.shoot.workers.back().zones = zones;
  }
  spec.shoot.infrastructure.floating_pool = given_string(provider, "floatingPoolName");
  provider.ignore({"machineImage", "loadBalancerProvider", "loadBalancerClasses", "resourceGroup",
                   "serviceAccountRef"});
  provider.warn_others();
}

void decode_cloud(Fields cloud, PodNetworkSpec& spec) {
  ShootSpec& shoot = spec.shoot;
  shoot.region = given_string(cloud, "region");
  Fields binding = cloud.fields("secretBindingRef");
  shoot.credentials = given_string(binding, "name");
  shoot.seed_name = given_string(cloud, "seed");
  if (const auto profile = given_string(cloud, "profile"))
    shoot.cloud_profile = Located<CloudProfileReference>{
        {"CloudProfile", profile->value}, profile->place, profile->path};
  for (const Cloud2020& row : kClouds) {
    const Value block = cloud.any(row.provider);
    if (!block || shoot.provider) continue;
    shoot.provider = Located<std::string>{std::string(row.provider), block.key_place(),
                                          document::FieldPath(block)};
    decode_provider(Fields(block, cloud.problems()), row, spec);
  }
  cloud.warn_others();
}

/// The last releases of this API had a networking block.
void decode_networking(const ShootView& shoot, Fields networking, PodNetworkSpec& spec) {
  const Value type = networking.any("type");
  const Value version = shoot.whole["apiVersion"];
  spec.type = {"calico", version.place(), version.path()};
  if (!type.text().empty()) spec.type = {std::string(type.text()), type.place(), type.path()};
  spec.provider_config = document::Tree::of(networking.mapping("providerConfig"));
  if (!spec.pods) spec.pods = given_cidr(networking, "pods");
  if (!spec.services) spec.services = given_cidr(networking, "services");
  if (!spec.shoot.nodes) spec.shoot.nodes = given_cidr(networking, "nodes");
}

}  // namespace

void decode_shoot_2020(const ShootView& shoot, PodNetworkSpec& spec, Problems& problems) {
  problems.warning(shoot.whole["apiVersion"], "deprecated-api-version",
                   "garden.sapcloud.io/v1beta1 is Gardener's API until 2020, which is no longer "
                   "served; it is read as the Shoot that it became",
                   "convert it to core.gardener.cloud/v1beta1");
  Fields metadata(shoot.metadata, problems);
  spec.shoot.deletion_timestamp = given_string(metadata, "deletionTimestamp");
  Fields fields(shoot.spec, problems);
  decode_cloud(fields.fields("cloud"), spec);
  decode_networking(shoot, fields.fields("networking"), spec);
  spec.shoot.purpose = given_string(fields, "purpose");
  Fields hibernation = fields.fields("hibernation");
  spec.shoot.hibernation = given_bool(hibernation, "enabled");
  Fields kubernetes = fields.fields("kubernetes");
  kubernetes.ignore({"cloudControllerManager"});
  static_cast<KubernetesSpec&>(spec.shoot) = decode_kubernetes(kubernetes);
  fields.ignore({"addons", "backup", "dns", "extensions", "maintenance", "monitoring"});
  fields.warn_others();
  decode_shoot_status(Fields(shoot.status, problems), spec.shoot);
}

}  // namespace overlane::manifest
