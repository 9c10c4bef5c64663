#include "topologies/manifest/spec/pod_network_spec.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "topologies/document/tree/tree.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::manifest {

namespace {

using document::Fields;
using document::Problems;
using document::Value;

IpPrefix slash8(std::uint32_t octet) {
  return Ipv4Prefix{{octet << 24}, 8};
}

struct SeedRange {
  const Field<IpPrefix>& given;
  Value at;
};

/// The range with its path: "spec.networks.pods 10.0.0.0/8".
std::string written(const SeedRange& range) {
  return fmt::format("{} {}", range.given->path, range.given->value.to_string());
}

void check_disjoint(const std::vector<SeedRange>& ranges, Problems& problems) {
  for (auto a = ranges.begin(); a != ranges.end(); ++a)
    for (auto b = ranges.begin(); b != a; ++b)
      if (a->given && b->given && a->given->value.overlaps(b->given->value))
        problems.error(a->at, "seed-ranges-overlap",
                       fmt::format("{} overlaps {}", written(*a), written(*b)),
                       "give the seed's networks and its shootDefaults ranges of their own");
}

void check_reserved(const std::vector<SeedRange>& ranges, Problems& problems) {
  for (const SeedRange& range : ranges)
    for (const ReservedRange& reserved : reserved_ranges())
      if (range.given && range.given->value.overlaps(reserved.range))
        problems.error(range.at, "seed-reserved-range",
                       fmt::format("{} overlaps {}, which stands for {} in Gardener's VPN",
                                   written(range), reserved.range.to_string(), reserved.purpose),
                       "choose another range");
}

/// Minimum prefix length of a seed's service range: the kube-apiserver's address in it is mapped
/// into 240.0.0.0/8.
constexpr std::uint8_t kMinServicesLength = 8;

void check_services(const SeedRange& services, Problems& problems) {
  if (services.given && services.given->value.is_ipv4() &&
      services.given->value.length() < kMinServicesLength)
    problems.error(services.at, "seed-services-too-large",
                   fmt::format("{} is larger than a /{}", written(services), kMinServicesLength),
                   fmt::format("use a /{} or a smaller range", kMinServicesLength));
}

void check_ranges(const SeedSpec& seed, const Value& networks, Problems& problems) {
  const Value defaults = networks["shootDefaults"];
  const SeedRange services{seed.services, networks["services"]};
  const std::vector<SeedRange> ranges = {{seed.pods, networks["pods"]},
                                         services,
                                         {seed.nodes, networks["nodes"]},
                                         {seed.default_pods, defaults["pods"]},
                                         {seed.default_services, defaults["services"]}};
  check_disjoint(ranges, problems);
  check_reserved(ranges, problems);
  check_services(services, problems);
}

/// Reads a Kubernetes quantity, which is a string or a plain number, as text.
Field<std::string> given_quantity(Fields& fields, std::string_view key) {
  const Value value = fields.any(key);
  if (!value.is(document::Kind::Scalar)) return std::nullopt;
  return Located<std::string>{std::string(value.text()), value.place(), document::FieldPath(value)};
}

MachineType decode_machine_type(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  MachineType type{.name = fields.string("name").value_or("")};
  type.cpu = given_quantity(fields, "cpu");
  type.memory = given_quantity(fields, "memory");
  type.usable = given_bool(fields, "usable");
  return type;
}

Region decode_region(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  Region region{.name = fields.string("name").value_or("")};
  for (const Value zone : fields.list("zones"))
    region.zones.emplace_back(zone["name"].text());
  return region;
}

}  // namespace

std::span<const ReservedRange> reserved_ranges() {
  static const std::array<ReservedRange, 6> kReserved = {{
      {slash8(240), "the kube-apiserver"},
      {slash8(241), "the seed's pods"},
      {slash8(242), "the shoot's nodes"},
      {slash8(243), "the shoot's services"},
      {slash8(244), "the shoot's pods"},
      {Ipv6Prefix::parse("fd8f:6d53:b97a:1::/96").value(), "the VPN itself"},
  }};
  return kReserved;
}

SeedSpec decode_seed(const document::Value& seed, document::Problems& problems) {
  SeedSpec read{.name = std::string(seed["metadata"]["name"].text()), .place = seed.place()};
  Fields root(seed, problems);
  Fields spec = root.fields("spec");
  Fields provider = spec.fields("provider");
  read.provider = given_string(provider, "type");
  read.region = given_string(provider, "region");
  Fields networks = spec.fields("networks");
  read.nodes = given_cidr(networks, "nodes");
  read.pods = given_cidr(networks, "pods");
  read.services = given_cidr(networks, "services");
  Fields defaults = networks.fields("shootDefaults");
  read.default_pods = given_cidr(defaults, "pods");
  read.default_services = given_cidr(defaults, "services");
  defaults.warn_others();
  read.ip_families = given_families(networks, "ipFamilies");
  networks.ignore({"blockCIDRs", "vpn"});
  networks.warn_others();
  check_ranges(read, networks.value(), problems);
  return read;
}

CloudProfileSpec decode_cloud_profile(const Value& profile, document::Problems& problems) {
  CloudProfileSpec read{.kind = std::string(profile["kind"].text()),
                        .name = std::string(profile["metadata"]["name"].text()),
                        .place = profile.place()};
  Fields root(profile, problems);
  Fields spec = root.fields("spec");
  read.provider = given_string(spec, "type");
  Fields limits = spec.fields("limits");
  read.max_nodes_total = given_integer(limits, "maxNodesTotal", {1, kInt32.max});
  limits.warn_others();
  for (const Value item : spec.list("machineTypes"))
    read.machine_types.push_back(decode_machine_type(item, problems));
  for (const Value item : spec.list("regions"))
    read.regions.push_back(decode_region(item, problems));
  Fields parent = spec.fields("parent");
  read.parent = given_string(parent, "name");
  return read;
}

void inherit(const CloudProfileSpec& parent, CloudProfileSpec& child) {
  if (!child.provider) child.provider = parent.provider;
  if (!child.max_nodes_total) child.max_nodes_total = parent.max_nodes_total;
  if (child.regions.empty()) child.regions = parent.regions;
  for (const MachineType& type : parent.machine_types)
    if (std::ranges::find(child.machine_types, type.name, &MachineType::name) ==
        child.machine_types.end())
      child.machine_types.push_back(type);
}

void check_overlay(Fields& config, std::string_view enabled, std::string_view create_pod_routes) {
  const Value block = config.any(document::FieldKey(
      "overlay",
      "Whether pods' packets are encapsulated. An empty block is not the same as no block."));
  if (!block) return;
  Fields overlay(block, config.problems());
  overlay.boolean(document::FieldKey("enabled", enabled));
  overlay.boolean(document::FieldKey("createPodRoutes", create_pod_routes));
  overlay.no_others();
}

Field<Overlay> overlay_of(const PodNetworkSpec& spec) {
  const Value block = spec.provider_config.root()["overlay"];
  if (!block) return std::nullopt;
  const auto given_flag = [&](std::string_view key) {
    const Value flag = block[key];
    return given(flag, flag ? flag.as_bool() : std::nullopt);
  };
  return Located<Overlay>{
      {.enabled = given_flag("enabled"), .create_pod_routes = given_flag("createPodRoutes")},
      block.place(),
      document::FieldPath(block)};
}

Field<std::string> calico_backend_of(const PodNetworkSpec& spec) {
  const Value config = spec.provider_config.root();
  if (spec.type.value != "calico" || !config["backend"]) return std::nullopt;
  document::Problems reported_by_the_extension{spec.object};
  Fields fields(config, reported_by_the_extension);
  return given_string(fields, "backend");
}

bool covers(const Value& more, const Value& less) {
  if (!more || !less) return !less;
  if (more.kind() != less.kind()) return false;
  if (less.is(document::Kind::Scalar))
    return more.text() == less.text() && more.scalar_type() == less.scalar_type();
  if (less.is(document::Kind::Mapping))
    return std::ranges::all_of(
        less, [&](const Value& entry) { return covers(more[entry.key()], entry); });
  if (more.size() != less.size()) return false;
  auto item = more.begin();
  return std::ranges::all_of(less, [&](const Value& one) { return covers(*item++, one); });
}

Field<bool> decode_switch(Fields& config, const document::FieldKey& key,
                          std::string_view meaning_of_enabled) {
  Fields block = config.fields(key);
  Field<bool> enabled = given_bool(block, document::FieldKey("enabled", meaning_of_enabled));
  block.no_others();
  return enabled;
}

void check_config_type(Fields& config, const ConfigGroup& group) {
  const Value version = config.any(document::FieldKey("apiVersion", group.meaning));
  const Value kind = config.any(document::FieldKey("kind", "NetworkConfig."));
  if (group.old.empty())
    config.only_words(version, {group.current});
  else
    config.only_words(version, {group.current, group.old});
  config.only_words(kind, {"NetworkConfig"});
  if (version && !group.old.empty() && version.text() == group.old)
    config.problems().warning(version, "deprecated-field",
                              "the providerConfig has an old apiVersion; it is read like the "
                              "current one",
                              std::string("write ").append(group.current));
  else if (version && version.text() != group.current)
    config.problems().error(version, "wrong-api-version",
                            "the providerConfig is of another apiVersion than this network type's",
                            std::string("write ").append(group.current));
  if (kind && kind.text() != "NetworkConfig")
    config.problems().error(kind, "wrong-kind", "the providerConfig is no NetworkConfig",
                            "write kind: NetworkConfig");
}

PodNetworkSpec with_network_config(const PodNetworkSpec& spec, const Value& patch) {
  PodNetworkSpec patched = spec;
  const std::string path =
      spec.object.kind == "Network" ? "spec.providerConfig" : "spec.networking.providerConfig";
  const Value before = spec.provider_config.root();
  patched.provider_config = document::merge_patch(before, patch, path);
  const bool is_same = covers(before, patch) && covers(patched.provider_config.root(), before);
  if (!is_same) patched.is_changed = true;
  return patched;
}

namespace {

using document::Kind;

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

/// Reads a range, or a list of ranges, which some providers have.
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

/// The API's default of the node range: the VPC's range, or else the workers' range if there is
/// only one. Without ranges by zone, always the workers' range.
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

/// Decodes the networking block, which only the last releases of this API had.
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
