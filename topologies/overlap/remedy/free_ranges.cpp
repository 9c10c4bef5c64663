#include "topologies/overlap/remedy/free_ranges.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <map>

#include <fmt/format.h>

#include "results/base/text.h"
#include "topologies/effective/addressing.h"
#include "topologies/overlap/pairs/impact.h"
#include "topologies/provider/profile.h"
#include "topologies/ranges/free_space.h"

namespace overlane::overlap {

namespace {

/// Length for 256 nodes with Gardener's default node mask /24, or in IPv6 /64.
constexpr std::uint8_t kDefaultLength = 16;
constexpr std::uint8_t kDefaultLengthIpv6 = 56;

/// An IPv6 range has no more than 2^16 pod CIDRs (kubernetes pkg/controller/nodeipam/ipam/cidrset,
/// clusterSubnetMaxDiff).
constexpr int kMaxPodCidrBitsIpv6 = 16;

}  // namespace

std::optional<std::uint8_t> length_for(std::int64_t nodes, std::uint8_t mask) {
  const int length = mask - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(nodes - 1)));
  if (length < 1) return std::nullopt;
  return static_cast<std::uint8_t>(length);
}

std::uint8_t Wanted::node_mask() const {
  if (!is_ipv4()) return effective::kDefaultNodeMaskIpv6;
  const auto by_default = provider::profile_of(to_string(provider)).admission.default_max_pods;
  return static_cast<std::uint8_t>(effective::default_node_mask(
      max_pods.value_or(by_default.value_or(effective::kKubeletMaxPods))));
}

std::optional<std::uint8_t> Wanted::pods_length() const {
  if (length) return length;
  if (nodes) return length_for(*nodes, node_mask());
  return is_ipv4() ? kDefaultLength : kDefaultLengthIpv6;
}

std::string Wanted::flaw() const {
  const std::int64_t least = nodes.value_or(1);
  const std::uint8_t mask = node_mask();
  const auto longest = length_for(least, mask);
  if (!longest) return fmt::format("no range of pods holds {} nodes of /{} each", least, mask);
  const std::uint8_t chosen = *pods_length();
  if (chosen > *longest)
    return fmt::format("pods of /{} are too few for {} of /{}: these need a /{}", chosen,
                       counted(static_cast<std::uint64_t>(least), "node"), mask, *longest);
  if (!is_ipv4() && mask - chosen > kMaxPodCidrBitsIpv6)
    return fmt::format(
        "pods of /{} are too many: Kubernetes gives IPv6 nodes a /{} of a /{} at most", chosen,
        mask, mask - kMaxPodCidrBitsIpv6);
  return "";
}

std::vector<IpPrefix> default_pools(effective::Provider provider) {
  const auto& reserved = provider::profile_of(provider).fabric.reserved;
  std::vector<IpPrefix> pools;
  for (const char* text : {"100.64.0.0/10", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"}) {
    const IpPrefix pool = IpPrefix::parse(text).value();
    if (!reserved || !pool.overlaps(IpPrefix::parse(reserved->cidr).value())) pools.push_back(pool);
  }
  return pools;
}

namespace {

/// Length for 4,096 services, as in kube-apiserver's usual /20; Gardener's own default is far
/// larger.
constexpr std::uint8_t kServicesLength = 20;
constexpr std::uint8_t kServicesLengthIpv6 = 112;

}  // namespace

FreeRanges::FreeRanges(const Inventory& inventory, const RoutingScopes& routing_scopes,
                       std::uint32_t domain)
    : key_(routing_scopes.domains[domain].key) {
  assert(routing_scopes.shoots.size() == inventory.shoots.size());
  const auto block = [&](const IpPrefix& range) {
    used_.push_back(range);
    others_.push_back(range);
  };
  const auto add_declared = [&](const std::vector<domains::DeclaredRange>& ranges) {
    for (const domains::DeclaredRange& range : ranges)
      block(range.cidr);
  };
  const auto add = [&](const std::vector<std::uint32_t>& shoots,
                       const std::vector<std::uint32_t>& networks, bool is_own) {
    for (const std::uint32_t i : shoots)
      for (const Range& range : inventory.shoots[i].ranges) {
        if (range.role != Role::Services) {
          block(range.cidr);
          continue;
        }
        used_.push_back(range.cidr);
        if (is_own) services_.push_back(range.cidr);
      }
    for (const std::uint32_t i : networks) {
      add_declared(inventory.declared.networks[i].ranges);
      add_declared(inventory.declared.networks[i].foreign_routes);
    }
  };
  const Domain& own = routing_scopes.domains[domain];
  if (!own.shoots.empty()) provider_ = inventory.shoots[own.shoots.front()].provider;
  add(own.shoots, own.declared, true);
  const auto is_own_shoot = [&](std::uint32_t i) {
    return routing_scopes.shoots[i].domain == domain;
  };
  const auto is_own_network = [&](std::uint32_t i) {
    return routing_scopes.networks[i].domain == domain;
  };
  for (std::size_t i = 0; i < routing_scopes.connections.size(); ++i) {
    const JoinedNetworks& joined = routing_scopes.connections[i];
    if (std::ranges::none_of(joined.shoots, is_own_shoot) &&
        std::ranges::none_of(joined.declared, is_own_network))
      continue;
    add(joined.shoots, joined.declared, false);
    add_declared(inventory.declared.connections[i].ranges);
  }
  for (const Reserved& reserved : reserved_ranges(inventory))
    if (!reserved.provider || reserved.provider == provider_) block(reserved.range.cidr);
}

std::optional<IpPrefix> FreeRanges::services(const std::vector<IpPrefix>& pools) const {
  const bool ipv4 = pools.front().is_ipv4();
  std::map<IpPrefix, std::size_t> known;
  for (const IpPrefix& range : services_)
    if (range.is_ipv4() == ipv4) ++known[range];
  std::vector<std::pair<std::size_t, IpPrefix>> by_use;
  for (const auto& [range, uses] : known)
    by_use.emplace_back(uses, range);
  std::ranges::stable_sort(by_use, std::greater(), &std::pair<std::size_t, IpPrefix>::first);
  for (const auto& [uses, range] : by_use)
    if (std::ranges::none_of(others_, [&](const IpPrefix& other) { return other.overlaps(range); }))
      return range;
  const auto free =
      ranges::free_ranges(pools, used_, ipv4 ? kServicesLength : kServicesLengthIpv6, 1);
  return free.empty() ? std::nullopt : std::optional(free.front());
}

std::vector<IpPrefix> FreeRanges::pools_of(const Wanted& wanted) const {
  return wanted.pools.empty() ? default_pools(provider_) : wanted.pools;
}

std::vector<IpPrefix> FreeRanges::pods(const Wanted& wanted,
                                       const std::vector<IpPrefix>& blocked) const {
  const auto length = wanted.pods_length();
  if (!length) return {};
  return ranges::free_ranges(pools_of(wanted), blocked, *length, wanted.shoots);
}

std::vector<IpPrefix> FreeRanges::pods(const Wanted& wanted) const {
  return pods(wanted, used_);
}

std::vector<Proposal> FreeRanges::propose(const Wanted& asked) const {
  Wanted wanted = asked;
  wanted.provider = provider_;
  const std::optional<IpPrefix> all_services = services(pools_of(wanted));
  std::vector<IpPrefix> blocked = used_;
  if (all_services) blocked.push_back(*all_services);
  std::vector<Proposal> proposals;
  const std::uint8_t mask = wanted.node_mask();
  for (const IpPrefix& range : pods(wanted, blocked))
    proposals.push_back({key_, range, all_services, mask, effective::pod_cidr_count(range, mask)});
  return proposals;
}

}  // namespace overlane::overlap
