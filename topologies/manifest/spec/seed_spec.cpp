#include "topologies/manifest/spec/seed_spec.h"

#include <vector>

#include <fmt/format.h>

#include "topologies/manifest/fields/located_fields.h"
#include "topologies/manifest/fields/reserved_ranges.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Problems;
using document::Value;

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
constexpr std::uint8_t kShortestServices = 8;

void check_services(const SeedRange& services, Problems& problems) {
  if (services.given && services.given->value.is_ipv4() &&
      services.given->value.length() < kShortestServices)
    problems.error(services.at, "seed-services-too-large",
                   fmt::format("{} is larger than a /{}", written(services), kShortestServices),
                   fmt::format("use a /{} or a smaller range", kShortestServices));
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

}  // namespace

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

}  // namespace overlane::manifest
