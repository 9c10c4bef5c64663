#include "topologies/effective/addressing.h"

#include <algorithm>
#include <bit>

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

Ranges from_documents(const Field<IpPrefix>& spec, const std::vector<Given<IpPrefix>>& status) {
  if (spec) return {{spec->value}, as_given(*spec)};
  Ranges ranges;
  for (const Given<IpPrefix>& range : status)
    ranges.value.push_back(range.value);
  if (!status.empty()) ranges.basis = as_given(status.front());
  return ranges;
}

Ranges or_default(Ranges ranges, const char* field, IpPrefix usual) {
  if (!ranges.value.empty()) return ranges;
  return {{usual},
          as_assumed(fmt::format("no document gives {}; a seed's shootDefaults usually say {}",
                                 field, usual.to_string()),
                     kShootDefaults)};
}

Ranges decide_nodes(const manifest::ShootSpec& shoot) {
  Ranges ranges = from_documents(shoot.nodes, shoot.status_nodes);
  if (!ranges.value.empty()) return ranges;
  for (const Field<IpPrefix>& field :
       {shoot.infrastructure.network_cidr, shoot.infrastructure.workers_cidr})
    if (field)
      return {{field->value},
              {fmt::format("no document gives networking.nodes; taken from {}", field->path),
               field->place.to_string(), true}};
  return {{usual_nodes()},
          as_assumed(fmt::format("no document gives networking.nodes; Gardener's examples use {}",
                                 usual_nodes().to_string()),
                     kShootDefaults)};
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

Decided<std::int64_t> decide_mask(const manifest::ShootSpec& shoot,
                                  const Decided<std::uint32_t>& max_pods) {
  if (shoot.node_cidr_mask_size)
    return {shoot.node_cidr_mask_size->value, as_given(*shoot.node_cidr_mask_size)};
  return {default_node_mask(max_pods.value),
          as_assumed(fmt::format("the default leaves room for twice {} pods", max_pods.value),
                     kMaskRule)};
}

std::optional<Ipv4Prefix> first_ipv4(const std::vector<IpPrefix>& ranges) {
  const auto found = std::ranges::find_if(ranges, &IpPrefix::is_ipv4);
  return found == ranges.end() ? std::nullopt : found->ipv4();
}

/// How many node slices of `mask` lie in `pods`.
std::int64_t pod_slices(const Ipv4Prefix& pods, std::int64_t mask) {
  return mask < pods.length || mask > 32 ? 0 : std::int64_t{1} << (mask - pods.length);
}

Decided<std::int64_t> decide_max_nodes(const Addressing& a) {
  const auto pods = first_ipv4(a.pods.value);
  const auto nodes = first_ipv4(a.nodes.value);
  if (!pods || !nodes) return {0, as_assumed("no IPv4 range", kShootDefaults)};
  const std::int64_t mask = a.node_cidr_mask_size.value;
  const std::int64_t limit = node_limit(*pods, mask, *nodes);
  const bool by_pods = limit == pod_slices(*pods, mask);
  const Basis& decider = by_pods ? a.pods.basis : a.nodes.basis;
  return {limit,
          {by_pods ? fmt::format("so many /{} slices fit into pods {}", mask, pods->to_string())
                   : fmt::format("so many nodes have an address in {}", nodes->to_string()),
           decider.source, decider.assumed}};
}

}  // namespace

std::int64_t default_node_mask(std::uint32_t max_pods) {
  const std::uint64_t addresses = std::uint64_t{2} * std::max<std::uint32_t>(max_pods, 1);
  return 32 - static_cast<std::int64_t>(std::bit_width(addresses - 1));
}

std::int64_t node_limit(const Ipv4Prefix& pods, std::int64_t mask, const Ipv4Prefix& nodes) {
  const std::int64_t slices = pod_slices(pods, mask);
  const std::int64_t addresses = (std::int64_t{1} << (32 - nodes.length)) - 2;
  return addresses > 0 ? std::min(slices, addresses) : slices;
}

Addressing decide_addressing(const ClusterSpec& spec) {
  Addressing addressing;
  addressing.pods = or_default(from_documents(spec.pods, spec.shoot.status_pods), "networking.pods",
                               usual_pods());
  addressing.services = or_default(from_documents(spec.services, spec.shoot.status_services),
                                   "networking.services", usual_services());
  addressing.nodes = decide_nodes(spec.shoot);
  addressing.max_pods = decide_max_pods(spec.shoot);
  addressing.node_cidr_mask_size = decide_mask(spec.shoot, addressing.max_pods);
  addressing.max_nodes = decide_max_nodes(addressing);
  return addressing;
}

}  // namespace overlane::effective
