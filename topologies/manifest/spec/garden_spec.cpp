#include "topologies/manifest/spec/garden_spec.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

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

/// "spec.networks.pods 10.0.0.0/8".
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

/// The kube-apiserver's service address is mapped into 240.0.0.0/8.
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

/// A quantity is a string or a plain number.
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
  read.max_nodes_total = given_integer(limits, "maxNodesTotal", {1, kInt32.most});
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

}  // namespace overlane::manifest
