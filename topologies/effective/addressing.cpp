#include "topologies/effective/addressing.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace overlane::effective {
namespace {

using manifest::ClusterSpec;
using manifest::Field;
using manifest::Given;
using Ranges = Decided<std::vector<IpPrefix>>;

constexpr const char* kShootDefaults =
    "gardener/gardener docs/usage/networking/shoot_networking.md";
constexpr const char* kMaskRule = "gardener/gardener pkg/apis/core/v1beta1/defaults_shoot.go";
constexpr std::uint32_t kKubeletMaxPods = 110;

IpPrefix ipv4(std::uint32_t bits, std::uint8_t length) {
  return Ipv4Prefix{{bits}, length};
}
/// The usual seed.spec.networks.shootDefaults, 100.96.0.0/11 and 100.64.0.0/13, and the node
/// network of Gardener's examples, 10.250.0.0/16.
IpPrefix usual_pods() {
  return ipv4(0x64600000, 11);
}
IpPrefix usual_services() {
  return ipv4(0x64400000, 13);
}
IpPrefix usual_nodes() {
  return ipv4(0x0afa0000, 16);
}

/// What the spec gives, and from the status what it adds: in dual-stack only the status knows the
/// second range.
Ranges from_documents(const Field<IpPrefix>& spec, const std::vector<Given<IpPrefix>>& status) {
  Ranges ranges;
  if (spec)
    ranges = {{spec->value}, as_given(*spec)};
  else if (!status.empty())
    ranges.basis = as_given(status.front());
  for (const Given<IpPrefix>& range : status) {
    const bool known = std::ranges::any_of(ranges.value, [&](const IpPrefix& other) {
      return other == range.value || (spec && other.is_ipv4() == range.value.is_ipv4());
    });
    if (!known) ranges.value.push_back(range.value);
  }
  return ranges;
}

Ranges or_default(Ranges ranges, const Families& families, const char* field, IpPrefix usual,
                  const char* whose) {
  if (!ranges.value.empty()) return ranges;
  if (families.primary() == Family::Ipv6)
    return {
        {},
        as_assumed(fmt::format("no document gives {}, and the cloud chooses IPv6 ranges", field),
                   kShootDefaults)};
  return {{usual},
          as_assumed(fmt::format("no document gives {}; {} {}", field, whose, usual.to_string()),
                     kShootDefaults)};
}

constexpr const char* kBySeed = "a seed's shootDefaults usually say";

/// What the shoot's seed gives a shoot that names no range. It does so only where the families are
/// equal (gardener/gardener plugin/pkg/shoot/mutator/admission.go).
Ranges or_seed(Ranges ranges, const Field<IpPrefix>& by_seed, const ClusterSpec& spec,
               const Families& families) {
  const bool ipv4 = families.primary() == Family::Ipv4;
  if (!ranges.value.empty() || !by_seed || by_seed->value.is_ipv4() != ipv4) return ranges;
  return {
      {by_seed->value},
      {fmt::format("the shoot gives none; its seed {} does: {}", spec.seed->name, by_seed->path),
       by_seed->place.to_string()}};
}

Ranges decide_nodes(const manifest::ShootSpec& shoot, const Families& families) {
  Ranges ranges = from_documents(shoot.nodes, shoot.status_nodes);
  if (!ranges.value.empty()) return ranges;
  for (const Field<IpPrefix>& field :
       {shoot.infrastructure.network_cidr, shoot.infrastructure.workers_cidr})
    if (field)
      return {{field->value},
              {fmt::format("no document gives networking.nodes; taken from {}", field->path),
               field->place.to_string(), true}};
  return or_default({}, families, "networking.nodes", usual_nodes(), "Gardener's examples use");
}

Decided<std::uint32_t> decide_max_pods(const manifest::ShootSpec& shoot) {
  Decided<std::uint32_t> most{
      kKubeletMaxPods, as_assumed("no kubelet.maxPods is given; the kubelet's default", kMaskRule)};
  if (shoot.max_pods)
    most = {static_cast<std::uint32_t>(shoot.max_pods->value), as_given(*shoot.max_pods)};
  for (const manifest::WorkerPool& pool : shoot.workers)
    if (pool.max_pods && pool.max_pods->value > most.value)
      most = {static_cast<std::uint32_t>(pool.max_pods->value), as_given(*pool.max_pods)};
  return most;
}

Decided<std::int64_t> decide_mask(const manifest::ShootSpec& shoot, const Families& families,
                                  const Decided<std::uint32_t>& max_pods) {
  const bool ipv6_only = !families.has(Family::Ipv4);
  if (shoot.node_cidr_mask_size)
    return {shoot.node_cidr_mask_size->value, as_given(*shoot.node_cidr_mask_size)};
  if (ipv6_only && shoot.node_cidr_mask_size_ipv6)
    return {shoot.node_cidr_mask_size_ipv6->value, as_given(*shoot.node_cidr_mask_size_ipv6)};
  if (ipv6_only)
    return {kDefaultNodeMaskIpv6, as_assumed("no mask is given; the default for IPv6", kMaskRule)};
  return {default_node_mask(max_pods.value),
          as_assumed(fmt::format("the default leaves room for twice {} pods", max_pods.value),
                     kMaskRule)};
}

/// The first range of a family; in dual-stack only IPv4 counts.
std::optional<IpPrefix> counted(const std::vector<IpPrefix>& ranges, bool ipv4) {
  const auto found = std::ranges::find(ranges, ipv4, &IpPrefix::is_ipv4);
  return found == ranges.end() ? std::nullopt : std::optional(*found);
}

/// 2^exponent, no more than what a signed number holds.
std::int64_t power_of_two(std::int64_t exponent) {
  constexpr std::int64_t kMost = 62;
  return std::int64_t{1} << std::min(exponent, kMost);
}

/// How many node slices of `mask` lie in `pods`.
std::int64_t pod_slices(const IpPrefix& pods, std::int64_t mask) {
  const int bits = pods.is_ipv4() ? 32 : 128;
  return mask < pods.length() || mask > bits ? 0 : power_of_two(mask - pods.length());
}

Decided<std::int64_t> nodes_with_addresses(const Addressing& a, const Families& families) {
  const bool ipv4 = families.has(Family::Ipv4);
  const auto pods = counted(a.pods.value, ipv4);
  const auto nodes = counted(a.nodes.value, ipv4);
  const std::int64_t mask = a.node_cidr_mask_size.value;
  if (!pods) return {0, as_assumed("no document gives the pods' range", kShootDefaults)};
  const std::int64_t limit = nodes ? node_limit(*pods, mask, *nodes) : pod_slices(*pods, mask);
  const bool by_pods = limit == pod_slices(*pods, mask);
  const Basis& decider = by_pods ? a.pods.basis : a.nodes.basis;
  return {limit,
          {by_pods ? fmt::format("so many /{} slices fit into pods {}", mask, pods->to_string())
                   : fmt::format("so many nodes have an address in {}", nodes->to_string()),
           decider.source, decider.assumed || (by_pods && a.node_cidr_mask_size.basis.assumed)}};
}

Decided<std::int64_t> decide_max_nodes(const Addressing& a, const ClusterSpec& spec,
                                       const Families& families) {
  Decided<std::int64_t> nodes = nodes_with_addresses(a, families);
  if (!spec.cloud_profile || !spec.cloud_profile->max_nodes_total) return nodes;
  const Given<std::int64_t>& most = *spec.cloud_profile->max_nodes_total;
  if (most.value >= nodes.value) return nodes;
  return {most.value,
          {fmt::format("the {} {} allows so many: {}", spec.cloud_profile->kind,
                       spec.cloud_profile->name, most.path),
           most.place.to_string()}};
}

}  // namespace

std::int64_t default_node_mask(std::uint32_t max_pods) {
  const std::uint64_t addresses = std::uint64_t{2} * std::max<std::uint32_t>(max_pods, 1);
  return 32 - static_cast<std::int64_t>(std::bit_width(addresses - 1));
}

std::int64_t node_limit(const IpPrefix& pods, std::int64_t mask, const IpPrefix& nodes) {
  const std::int64_t slices = pod_slices(pods, mask);
  const int bits = nodes.is_ipv4() ? 32 : 128;
  const std::int64_t addresses = power_of_two(bits - nodes.length()) - 2;
  return addresses > 0 ? std::min(slices, addresses) : slices;
}

Addressing decide_addressing(const ClusterSpec& spec, const Families& families) {
  Addressing addressing;
  Ranges pods = from_documents(spec.pods, spec.shoot.status_pods);
  Ranges services = from_documents(spec.services, spec.shoot.status_services);
  if (spec.seed) {
    pods = or_seed(std::move(pods), spec.seed->default_pods, spec, families);
    services = or_seed(std::move(services), spec.seed->default_services, spec, families);
  }
  addressing.pods = or_default(std::move(pods), families, "networking.pods", usual_pods(), kBySeed);
  addressing.services =
      or_default(std::move(services), families, "networking.services", usual_services(), kBySeed);
  addressing.nodes = decide_nodes(spec.shoot, families);
  addressing.max_pods = decide_max_pods(spec.shoot);
  addressing.node_cidr_mask_size = decide_mask(spec.shoot, families, addressing.max_pods);
  addressing.max_nodes = decide_max_nodes(addressing, spec, families);
  return addressing;
}

}  // namespace overlane::effective
