#include "topologies/overlap/free_ranges.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "topologies/effective/addressing.h"
#include "topologies/manifest/reserved_ranges.h"
#include "topologies/ranges/free_space.h"

namespace overlane::overlap {
namespace {

/// 4,096 services, as kube-apiserver's usual /20 has; Gardener's own default is far larger.
constexpr std::uint8_t kServicesLength = 20;
constexpr std::uint8_t kServicesLengthIpv6 = 112;

std::int64_t mask_of(const Wanted& wanted, bool ipv4) {
  return ipv4 ? effective::default_node_mask(wanted.max_pods) : effective::kDefaultNodeMaskIpv6;
}

/// 256 nodes of Gardener's usual /24, or as many of /64.
constexpr std::uint8_t kUsualLength = 16;
constexpr std::uint8_t kUsualLengthIpv6 = 56;

/// Pools are of one family.
bool is_ipv4(const std::vector<IpPrefix>& pools) {
  return pools.front().is_ipv4();
}

}  // namespace

std::vector<IpPrefix> default_pools(effective::Provider provider) {
  std::vector<IpPrefix> pools;
  if (provider != effective::Provider::AliCloud)
    pools.push_back(IpPrefix::parse("100.64.0.0/10").value());
  for (const char* text : {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"})
    pools.push_back(IpPrefix::parse(text).value());
  return pools;
}

std::optional<std::uint8_t> length_for(std::int64_t nodes, std::uint32_t max_pods, bool ipv4) {
  const std::int64_t mask = mask_of({.max_pods = max_pods}, ipv4);
  const auto slices = static_cast<std::uint64_t>(std::max<std::int64_t>(nodes, 1));
  const std::int64_t length = mask - static_cast<std::int64_t>(std::bit_width(slices - 1));
  if (length < 1) return std::nullopt;
  return static_cast<std::uint8_t>(length);
}

FreeRanges::FreeRanges(const Inventory& inventory, const Positions& positions, std::uint32_t domain)
    : key_(positions.domains[domain].key) {
  const auto add_shoots = [&](const std::vector<std::uint32_t>& shoots, bool is_own) {
    for (const std::uint32_t i : shoots)
      for (const Range& range : inventory.shoots[i].ranges) {
        used_.push_back(range.cidr);
        if (range.role != Role::Services)
          others_.push_back(range.cidr);
        else if (is_own)
          services_.push_back(range.cidr);
      }
  };
  const auto add_declared = [&](const std::vector<domains::DeclaredRange>& ranges) {
    for (const domains::DeclaredRange& range : ranges) {
      used_.push_back(range.cidr);
      others_.push_back(range.cidr);
    }
  };
  const auto add = [&](const std::vector<std::uint32_t>& shoots,
                       const std::vector<std::uint32_t>& networks, bool is_own) {
    add_shoots(shoots, is_own);
    for (const std::uint32_t i : networks)
      add_declared(inventory.declared.networks[i].ranges);
  };
  const Domain& own = positions.domains[domain];
  if (!own.shoots.empty()) provider_ = inventory.shoots[own.shoots.front()].provider;
  add(own.shoots, own.declared, true);
  for (std::size_t i = 0; i < positions.connections.size(); ++i) {
    const Joined& joined = positions.connections[i];
    const auto is_own_shoot = [&](std::uint32_t s) { return positions.shoots[s].domain == domain; };
    const auto is_own_network = [&](std::uint32_t n) {
      return positions.networks[n].domain == domain;
    };
    if (std::ranges::none_of(joined.shoots, is_own_shoot) &&
        std::ranges::none_of(joined.declared, is_own_network))
      continue;
    add(joined.shoots, joined.declared, false);
    add_declared(inventory.declared.connections[i].ranges);
  }
  add_declared(inventory.declared.reserved);
  for (const manifest::ReservedRange& reserved : manifest::reserved_ranges()) {
    used_.push_back(reserved.range);
    others_.push_back(reserved.range);
  }
  for (const IpPrefix& reserved : inventory.landscape_reserved) {
    used_.push_back(reserved);
    others_.push_back(reserved);
  }
}

std::optional<IpPrefix> FreeRanges::services(const std::vector<IpPrefix>& pools) const {
  const bool ipv4 = is_ipv4(pools);
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

std::optional<std::uint8_t> FreeRanges::length_of(const Wanted& wanted) const {
  const bool ipv4 = is_ipv4(pools_of(wanted));
  if (wanted.length) return wanted.length;
  if (wanted.nodes) return length_for(*wanted.nodes, wanted.max_pods, ipv4);
  return ipv4 ? kUsualLength : kUsualLengthIpv6;
}

std::vector<IpPrefix> FreeRanges::pods(const Wanted& wanted, std::vector<IpPrefix> blocked) const {
  const auto length = length_of(wanted);
  if (!length) return {};
  return ranges::free_ranges(pools_of(wanted), blocked, *length, wanted.shoots);
}

std::vector<IpPrefix> FreeRanges::pods(const Wanted& wanted) const {
  return pods(wanted, used_);
}

std::vector<Proposal> FreeRanges::propose(const Wanted& wanted) const {
  const std::vector<IpPrefix> pools = pools_of(wanted);
  const std::optional<IpPrefix> all_services = services(pools);
  std::vector<IpPrefix> blocked = used_;
  if (all_services) blocked.push_back(*all_services);
  std::vector<Proposal> proposals;
  const std::int64_t mask = mask_of(wanted, is_ipv4(pools));
  for (const IpPrefix& range : pods(wanted, std::move(blocked)))
    proposals.push_back({key_, range, all_services, static_cast<std::uint8_t>(mask),
                         effective::pod_slices(range, mask)});
  return proposals;
}

}  // namespace overlane::overlap
