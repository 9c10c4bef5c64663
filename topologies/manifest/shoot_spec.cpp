#include "topologies/manifest/shoot_spec.h"

#include <cstdint>

#include <fmt/format.h>

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Problems;
using document::Value;

Field<std::string> first_string(Fields& fields, std::initializer_list<std::string_view> keys) {
  Field<std::string> found;
  for (const std::string_view key : keys)
    if (auto field = given(fields.any(key), fields.string(key)); field && !found)
      found = std::move(field);
  return found;
}

struct Bounds {
  std::int64_t least;
  std::int64_t most;
};

/// gardener-extension-provider-gcp docs/usage/usage.md: networks.mtu.
constexpr Bounds kGcpNetworkMtu{1300, 8896};

Field<std::int64_t> checked(const Value& value, std::optional<std::int64_t> number, Bounds bounds,
                            Problems& problems) {
  if (!number || (*number >= bounds.least && *number <= bounds.most)) return given(value, number);
  problems.error(
      value, "bad-value",
      fmt::format("{} must lie between {} and {}", value.path(), bounds.least, bounds.most));
  return std::nullopt;
}

/// The subnet of the nodes, by its name of today or its old one.
Field<IpPrefix> workers_cidr(Fields& networks) {
  for (const char* key : {"workers", "worker"}) {
    const Value value = networks.any(key);
    if (value) return decode_cidr(value, networks.problems());
  }
  return std::nullopt;
}

std::vector<InfrastructureZone> decode_zones(Fields& networks) {
  std::vector<InfrastructureZone> zones;
  for (Value item : networks.list("zones")) {
    Fields zone(item, networks.problems());
    Field<IpPrefix> workers = workers_cidr(zone);
    if (!workers) workers = decode_cidr(zone.any("cidr"), networks.problems());
    // azure numbers its zones, the others name them.
    if (workers) zones.push_back({std::string(zone.any("name").text()), *std::move(workers)});
  }
  return zones;
}

Infrastructure decode_infrastructure(Fields config) {
  Infrastructure infrastructure;
  Problems& problems = config.problems();
  Fields networks = config.fields("networks");
  Fields vpc = networks.fields("vpc");
  Fields vnet = networks.fields("vnet");
  Fields router = networks.fields("router");
  infrastructure.network_id = first_string(vpc, {"id", "name"});
  if (!infrastructure.network_id) infrastructure.network_id = first_string(vnet, {"name"});
  if (!infrastructure.network_id) infrastructure.network_id = first_string(router, {"id"});
  infrastructure.resource_group = first_string(vnet, {"resourceGroup"});
  infrastructure.network_cidr = decode_cidr(vpc.any("cidr"), problems);
  if (!infrastructure.network_cidr)
    infrastructure.network_cidr = decode_cidr(vnet.any("cidr"), problems);
  infrastructure.workers_cidr = workers_cidr(networks);
  infrastructure.zones = decode_zones(networks);
  infrastructure.mtu =
      checked(networks.any("mtu"), networks.integer("mtu"), kGcpNetworkMtu, problems);
  infrastructure.mtu_customizer =
      given(config.any("enableMTUCustomizer"), config.boolean("enableMTUCustomizer"));
  infrastructure.custom_route_table =
      given(vpc.any("useCustomRouteTable"), vpc.boolean("useCustomRouteTable"));
  return infrastructure;
}

Field<std::int64_t> decode_max_pods(Fields kubernetes) {
  Fields kubelet = kubernetes.fields("kubelet");
  const Value value = kubelet.any("maxPods");
  return checked(value, kubelet.integer("maxPods"), {1, 65'536}, kubelet.problems());
}

/// `minimum` and `maximum` are int32 in gardener/gardener pkg/apis/core/v1beta1/types_shoot.go.
std::int64_t decode_node_count(Fields& worker, std::string_view key) {
  constexpr Bounds kInt32{INT32_MIN, INT32_MAX};
  const Value value = worker.any(key);
  const auto count = checked(value, worker.integer(key), kInt32, worker.problems());
  return count ? count->value : 0;
}

WorkerPool decode_worker(const Value& value, Problems& problems) {
  Fields fields(value, problems);
  WorkerPool pool;
  pool.place = value.place();
  pool.name = fields.string("name").value_or("");
  pool.minimum = decode_node_count(fields, "minimum");
  pool.maximum = decode_node_count(fields, "maximum");
  pool.zones = fields.strings("zones");
  pool.machine_type = fields.fields("machine").string("type").value_or("");
  pool.max_pods = decode_max_pods(fields.fields("kubernetes"));
  if (pool.minimum < 0 || pool.maximum < pool.minimum)
    problems.error(value, "bad-value",
                   fmt::format("{}: minimum must be at least 0 and at most maximum", value.path()));
  return pool;
}

void decode_kubernetes(Fields kubernetes, ShootSpec& shoot) {
  Fields manager = kubernetes.fields("kubeControllerManager");
  shoot.node_cidr_mask_size =
      given(manager.any("nodeCIDRMaskSize"), manager.integer("nodeCIDRMaskSize"));
  Fields proxy = kubernetes.fields("kubeProxy");
  shoot.kube_proxy_enabled = given(proxy.any("enabled"), proxy.boolean("enabled"));
  shoot.kube_proxy_mode =
      given(proxy.any("mode"), proxy.one_of("mode", {"IPTables", "IPVS", "NFTables"}));
  shoot.max_pods = decode_max_pods(kubernetes);
}

std::vector<Given<IpPrefix>> decode_cidrs(const Value& list, Problems& problems) {
  std::vector<Given<IpPrefix>> cidrs;
  for (Value item : list)
    if (auto cidr = decode_cidr(item, problems)) cidrs.push_back(*std::move(cidr));
  return cidrs;
}

}  // namespace

Field<IpPrefix> decode_cidr(const Value& value, Problems& problems) {
  const auto text = read_string(value, problems);
  if (!text) return std::nullopt;
  const Parsed<IpPrefix> prefix = IpPrefix::parse(*text);
  if (prefix) return Given<IpPrefix>{*prefix, value.place(), value.path()};
  problems.error(value, "invalid-cidr", fmt::format("{}: {}", value.path(), prefix.error()),
                 "write a network like 10.250.0.0/16");
  return std::nullopt;
}

ShootSpec decode_shoot_spec(const Value& shoot, Problems& problems) {
  ShootSpec read;
  Fields root(shoot, problems);
  Fields spec = root.fields("spec");
  Fields provider = spec.fields("provider");
  read.provider = given(provider.any("type"), provider.string("type"));
  read.region = given(spec.any("region"), spec.string("region"));
  read.credentials = first_string(spec, {"credentialsBindingName", "secretBindingName"});
  read.infrastructure = decode_infrastructure(provider.fields("infrastructureConfig"));
  for (Value worker : provider.list("workers"))
    read.workers.push_back(decode_worker(worker, problems));
  decode_kubernetes(spec.fields("kubernetes"), read);
  read.nodes = decode_cidr(spec.fields("networking").any("nodes"), problems);
  Fields status = root.fields("status").fields("networking");
  read.status_pods = decode_cidrs(status.list("pods"), problems);
  read.status_services = decode_cidrs(status.list("services"), problems);
  read.status_nodes = decode_cidrs(status.list("nodes"), problems);
  return read;
}

}  // namespace overlane::manifest
