#include "topologies/effective/addressing.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "topologies/effective/nodes.h"

namespace overlane::effective {

namespace {

using manifest::Field;
using manifest::Located;
using manifest::PodNetworkSpec;

/// Whether a shoot that becomes dual-stack still has nodes to roll: until then its network has only
/// the first family (gardener-extension-networking-calico pkg/controller/actuator_reconcile.go).
bool waits_for_nodes(const manifest::ShootSpec& shoot) {
  const manifest::Constraint* ready = shoot.constraint("DualStackNodesMigrationReady");
  return ready != nullptr && ready->status != "True";
}

using GivenRanges = std::vector<GivenRange>;

class Collector {
 public:
  Collector(const Families& families, GivenRanges& ranges)
      : ipv4_first_(families.primary() == Family::Ipv4), ranges_(ranges) {}

  void collect(RangeRole role, const Field<IpPrefix>& spec,
               const std::vector<Located<IpPrefix>>& status, const Field<IpPrefix>* by_seed) {
    const std::size_t begin = ranges_.size();
    if (spec) ranges_.push_back({role, RangeOrigin::Spec, &*spec});
    for (const Located<IpPrefix>& range : status)
      if (!(spec && spec->value.is_ipv4() == range.value.is_ipv4()) && is_new(begin, range.value))
        ranges_.push_back({role, RangeOrigin::Status, &range});
    if (ranges_.size() == begin && by_seed != nullptr && *by_seed && is_first((*by_seed)->value))
      ranges_.push_back({role, RangeOrigin::Seed, &**by_seed});
    std::stable_partition(ranges_.begin() + static_cast<std::ptrdiff_t>(begin), ranges_.end(),
                          [this](const GivenRange& range) { return is_first(range.value()); });
  }

 private:
  bool is_first(const IpPrefix& range) const { return range.is_ipv4() == ipv4_first_; }

  bool is_new(std::size_t begin, const IpPrefix& range) const {
    return std::none_of(ranges_.begin() + static_cast<std::ptrdiff_t>(begin), ranges_.end(),
                        [&](const GivenRange& known) { return known.value() == range; });
  }

  bool ipv4_first_;
  GivenRanges& ranges_;
};

using Ranges = Decided<std::vector<IpPrefix>>;

constexpr const char* kShootDefaults =
    "gardener/gardener docs/usage/networking/shoot_networking.md";
constexpr const char* kMaskRule = "gardener/gardener pkg/apis/core/v1beta1/defaults_shoot.go";

IpPrefix ipv4(std::uint32_t bits, std::uint8_t length) {
  return Ipv4Prefix{{bits}, length};
}
/// The ranges of Gardener's examples: seed.spec.networks.shootDefaults with 100.96.0.0/11 and
/// 100.64.0.0/13, and nodes in 10.250.0.0/16.
IpPrefix usual_pods() {
  return ipv4(0x64600000, 11);
}
IpPrefix usual_services() {
  return ipv4(0x64400000, 13);
}
IpPrefix usual_nodes() {
  return ipv4(0x0afa0000, 16);
}

Provenance basis_of(const GivenRange& range, const PodNetworkSpec& spec) {
  if (range.origin != RangeOrigin::Seed) return as_given(*range.given);
  return {
      fmt::format("the shoot gives none; its seed {} does: {}", spec.seed->name, range.given->path),
      range.given->place};
}

Ranges of_role(RangeRole role, const std::vector<GivenRange>& given, const PodNetworkSpec& spec) {
  Ranges ranges;
  const GivenRange* first = nullptr;
  for (const GivenRange& range : given) {
    if (range.role != role) continue;
    if (first == nullptr) {
      first = &range;
      ranges.basis = basis_of(range, spec);
    } else if (range.origin != first->origin) {
      ranges.basis.because += fmt::format(", and {} adds the second range", range.given->path);
    }
    ranges.value.push_back(range.value());
  }
  return ranges;
}

/// The default of a range that no document gives.
struct Default {
  IpPrefix range;
  std::string whose;
  Source source;
};

/// The shootDefaults of the seed that an unscheduled shoot will get, which Gardener writes into the
/// shoot. The seed is known if only one of the given seeds can take the shoot.
Default by_seed(const PodNetworkSpec& spec, Field<IpPrefix> manifest::SeedSpec::*field,
                IpPrefix usual) {
  if (spec.possible_seeds.size() == 1)
    if (const auto& given = (*spec.possible_seeds.front()).*field; given && given->value.is_ipv4())
      return {given->value,
              fmt::format("the only given seed that could take the shoot, {}, defaults it "
                          "to",
                          spec.possible_seeds.front()->name),
              given->place};
  return {usual, "a seed's shootDefaults usually say", kShootDefaults};
}

/// The default `written` of the provider's admission; if that is empty, the seed's default.
Default by_admission(std::string_view written, const provider::Profile& provider,
                     const Default& seed) {
  if (written.empty()) return seed;
  return {IpPrefix::parse(written).value(),
          fmt::format("admission of provider {} writes", provider.name),
          provider.admission.mutator};
}

Ranges or_default(Ranges ranges, const provider::Profile& provider, const Families& families,
                  const char* field, const Default& usual) {
  if (!ranges.value.empty()) return ranges;
  if (families.primary() == Family::Ipv6)
    return {{},
            as_assumed(fmt::format("no document gives {}, and {}", field,
                                   provider.routes.ipv6_delegation ? "the cloud chooses IPv6 ranges"
                                                                   : "none is usual for IPv6"),
                       kShootDefaults)};
  return {{usual.range},
          as_assumed(fmt::format("no document gives {}; {} {}", field, usual.whose,
                                 usual.range.to_string()),
                     usual.source)};
}

Ranges or_infrastructure(Ranges ranges, const manifest::ShootSpec& shoot) {
  if (!ranges.value.empty()) return ranges;
  for (const Field<IpPrefix>& field :
       {shoot.infrastructure.network_cidr, shoot.infrastructure.workers_cidr})
    if (field)
      return {{field->value},
              {fmt::format("no document gives networking.nodes; taken from {}", field->path),
               field->place, true}};
  return ranges;
}

Decided<std::uint32_t> default_max_pods(const provider::Profile& provider) {
  if (!provider.admission.default_max_pods)
    return {kKubeletMaxPods,
            as_assumed("no kubelet.maxPods is given; the kubelet's default", kMaskRule)};
  return {*provider.admission.default_max_pods,
          as_assumed(fmt::format("no kubelet.maxPods is given; admission of provider {} writes {}",
                                 provider.name, *provider.admission.default_max_pods),
                     provider.admission.mutator)};
}

Decided<std::uint32_t> decide_max_pods(const manifest::ShootSpec& shoot,
                                       const provider::Profile& provider) {
  Decided<std::uint32_t> most = default_max_pods(provider);
  if (shoot.max_pods)
    most = {static_cast<std::uint32_t>(shoot.max_pods->value), as_given(*shoot.max_pods)};
  for (const manifest::WorkerPool& pool : shoot.workers)
    if (pool.max_pods && pool.max_pods->value > most.value)
      most = {static_cast<std::uint32_t>(pool.max_pods->value), as_given(*pool.max_pods)};
  return most;
}

Decided<std::int64_t> decide_spec_mask(const manifest::ShootSpec& shoot,
                                       const provider::Profile& provider, const Families& families,
                                       const Decided<std::uint32_t>& max_pods) {
  const bool ipv6_only = !families.has(Family::Ipv4);
  if (shoot.node_cidr_mask_size)
    return {shoot.node_cidr_mask_size->value, as_given(*shoot.node_cidr_mask_size)};
  if (ipv6_only && shoot.node_cidr_mask_size_ipv6)
    return {shoot.node_cidr_mask_size_ipv6->value, as_given(*shoot.node_cidr_mask_size_ipv6)};
  if (ipv6_only)
    return {kDefaultNodeMaskIpv6, as_assumed("no mask is given; the default for IPv6", kMaskRule)};
  if (provider.admission.default_node_mask)
    return {*provider.admission.default_node_mask,
            as_assumed(fmt::format("no mask is given; admission of provider {} writes {}",
                                   provider.name, *provider.admission.default_node_mask),
                       provider.admission.mutator)};
  return {default_node_mask(max_pods.value),
          as_assumed(fmt::format("the default leaves room for twice {} pods", max_pods.value),
                     kMaskRule)};
}

Decided<std::int64_t> decide_mask(const Decided<std::int64_t>& of_spec,
                                  const provider::Profile& provider, const Families& families) {
  if (!families.is_dual_stack() || !provider.admission.dual_stack_node_mask) return of_spec;
  return {*provider.admission.dual_stack_node_mask,
          {fmt::format("provider {} gives every node of a dual-stack shoot a /{}, whatever the "
                       "mask says",
                       provider.name, *provider.admission.dual_stack_node_mask),
           provider.admission.dual_stack_node_mask_source}};
}

/// The first range of a family. The number of nodes depends on this range only.
std::optional<IpPrefix> counted(const std::vector<IpPrefix>& ranges, bool ipv4) {
  const auto found = std::ranges::find(ranges, ipv4, &IpPrefix::is_ipv4);
  return found == ranges.end() ? std::nullopt : std::optional(*found);
}

/// 2^exponent, at most 2^62.
std::int64_t power_of_two(std::int64_t exponent) {
  constexpr std::int64_t kMax = 62;
  return std::int64_t{1} << std::min(exponent, kMax);
}

using NodeLimit = Decided<std::optional<std::int64_t>>;

NodeLimit nodes_with_addresses(const Addressing& a, const Families& families) {
  const bool ipv4 = families.has(Family::Ipv4);
  const auto pods = counted(a.pods.value, ipv4);
  const auto nodes = counted(a.nodes.value, ipv4);
  const std::int64_t mask = a.node_cidr_mask_size.value;
  if (!pods) return {std::nullopt, as_assumed("no document gives the pods' range", kShootDefaults)};
  const std::int64_t pod_cidrs = pod_cidr_count(*pods, mask);
  const std::int64_t limit = nodes ? std::min(pod_cidrs, machine_addresses(*nodes)) : pod_cidrs;
  const bool by_pods = limit == pod_cidrs;
  const Provenance& decider = by_pods ? a.pods.basis : a.nodes.basis;
  return {limit,
          {by_pods ? fmt::format("so many /{} pod CIDRs fit into pods {}", mask, pods->to_string())
                   : fmt::format("so many nodes have an address in {}", nodes->to_string()),
           decider.source, decider.assumed || (by_pods && a.node_cidr_mask_size.basis.assumed)}};
}

/// The number of machines that get an address in the subnet of all zones, or in the subnets of the
/// workers' zones. Nothing if documents do not give all these subnets, or no worker names its
/// zones.
std::optional<NodeLimit> nodes_in_subnets(const manifest::ShootSpec& shoot,
                                          const provider::Profile& provider) {
  const NodeSubnets subnets = node_subnets(shoot, provider);
  if (const NodeSubnet* one = subnets.find(""))
    return NodeLimit{machine_addresses(one->cidr),
                     {fmt::format("so many nodes have an address in {}, the subnet of all zones",
                                  one->cidr.to_string()),
                      provider.node_subnets.source}};
  std::int64_t limit = 0;
  std::vector<std::string_view> zones;
  for (const manifest::WorkerPool& pool : shoot.workers)
    for (const std::string& zone : pool.zones)
      if (std::ranges::find(zones, zone) == zones.end()) zones.push_back(zone);
  for (const std::string_view zone : zones) {
    const NodeSubnet* subnet = subnets.find(zone);
    if (subnet == nullptr) return std::nullopt;
    limit += machine_addresses(subnet->cidr);
  }
  if (zones.empty()) return std::nullopt;
  return NodeLimit{
      limit,
      {zones.size() == 1
           ? fmt::format("so many nodes have an address in {}, the subnet of zone {}",
                         subnets.find(zones[0])->cidr.to_string(), zones[0])
           : fmt::format("so many nodes have an address in the subnets of {} zones", zones.size()),
       provider.node_subnets.source}};
}

NodeLimit decide_max_nodes(const Addressing& a, const PodNetworkSpec& spec,
                           const provider::Profile& provider, const Families& families) {
  NodeLimit nodes = nodes_with_addresses(a, families);
  if (families.has(Family::Ipv4))
    if (auto in_subnets = nodes_in_subnets(spec.shoot, provider);
        in_subnets && nodes.value && *in_subnets->value < *nodes.value)
      nodes = *std::move(in_subnets);
  if (!spec.cloud_profile || !spec.cloud_profile->max_nodes_total) return nodes;
  const Located<std::int64_t>& most = *spec.cloud_profile->max_nodes_total;
  if (nodes.value && most.value >= *nodes.value) return nodes;
  return {most.value,
          {fmt::format("the {} {} allows so many: {}", spec.cloud_profile->kind,
                       spec.cloud_profile->name, most.path),
           most.place}};
}

}  // namespace

Families::Families(const manifest::PodNetworkSpec& spec) {
  if (spec.ip_families) {
    const auto& names = spec.ip_families->value;
    if (names.front() == "IPv6") primary_ = Family::Ipv6;
    dual_stack_ = names.size() > 1 && !waits_for_nodes(spec.shoot);
  }
  infrastructure_dual_stack_ = dual_stack_ || spec.shoot.status_nodes.size() > 1;
}

std::string_view to_string(RangeRole role) {
  switch (role) {
    case RangeRole::Pods:
      return "pods";
    case RangeRole::Services:
      return "services";
    case RangeRole::Nodes:
      return "nodes";
  }
  return "";
}

std::vector<GivenRange> given_ranges(const manifest::PodNetworkSpec& spec,
                                     const Families& families) {
  GivenRanges ranges;
  Collector collector(families, ranges);
  const manifest::ShootSpec& shoot = spec.shoot;
  const manifest::SeedSpec* seed = spec.seed.get();
  collector.collect(RangeRole::Pods, spec.pods, shoot.status_pods,
                    seed != nullptr ? &seed->default_pods : nullptr);
  collector.collect(RangeRole::Services, spec.services, shoot.status_services,
                    seed != nullptr ? &seed->default_services : nullptr);
  collector.collect(RangeRole::Nodes, shoot.nodes, shoot.status_nodes, nullptr);
  return ranges;
}

std::int64_t default_node_mask(std::uint32_t max_pods) {
  const std::uint64_t addresses = std::uint64_t{2} * std::max<std::uint32_t>(max_pods, 1);
  return 32 - static_cast<std::int64_t>(std::bit_width(addresses - 1));
}

std::int64_t pod_cidr_count(const IpPrefix& pods, std::int64_t mask) {
  const int bits = pods.is_ipv4() ? 32 : 128;
  return mask < pods.length() || mask > bits ? 0 : power_of_two(mask - pods.length());
}

std::int64_t machine_addresses(const IpPrefix& subnet) {
  const int bits = subnet.is_ipv4() ? 32 : 128;
  const std::int64_t size = power_of_two(bits - subnet.length());
  return std::max<std::int64_t>(size - kFirstMachineOffset - kKeptAtSubnetEnd, 0);
}

Addressing decide_addressing(const PodNetworkSpec& spec, const provider::Profile& provider,
                             const Families& families) {
  Addressing addressing{.given = given_ranges(spec, families)};
  const auto decide = [&](Ranges ranges, const char* field, const Default& usual) {
    return or_default(std::move(ranges), provider, families, field, usual);
  };
  const auto given = [&](RangeRole role) { return of_role(role, addressing.given, spec); };
  addressing.pods =
      decide(given(RangeRole::Pods), "networking.pods",
             by_admission(provider.admission.default_pods, provider,
                          by_seed(spec, &manifest::SeedSpec::default_pods, usual_pods())));
  addressing.services =
      decide(given(RangeRole::Services), "networking.services",
             by_admission(provider.admission.default_services, provider,
                          by_seed(spec, &manifest::SeedSpec::default_services, usual_services())));
  addressing.nodes =
      decide(or_infrastructure(given(RangeRole::Nodes), spec.shoot), "networking.nodes",
             {usual_nodes(), "Gardener's examples use", kShootDefaults});
  addressing.max_pods = decide_max_pods(spec.shoot, provider);
  addressing.spec_node_mask = decide_spec_mask(spec.shoot, provider, families, addressing.max_pods);
  addressing.node_cidr_mask_size = decide_mask(addressing.spec_node_mask, provider, families);
  addressing.max_nodes = decide_max_nodes(addressing, spec, provider, families);
  return addressing;
}

}  // namespace overlane::effective
