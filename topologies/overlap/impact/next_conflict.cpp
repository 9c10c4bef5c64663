#include "topologies/overlap/impact/next_conflict.h"

#include <algorithm>
#include <numeric>

#include "topologies/ranges/sort_unique.h"

namespace overlane::overlap {
namespace {

/// Above Gardener's limits for a shoot. Limits the list of pod CIDRs in use.
constexpr std::uint64_t kMaxNodes = 65'536;

std::uint8_t mask_of(const Shoot& shoot, const Range& range) {
  const Family family = range.cidr.is_ipv4() ? Family::Ipv4 : Family::Ipv6;
  return shoot.node_masks[static_cast<std::size_t>(family)];
}

ranges::PodCidrAllocation allocation_of(const Shoot& shoot, const Range& range) {
  ranges::PodCidrAllocation allocation{.range = range.cidr, .mask = mask_of(shoot, range)};
  const std::uint64_t pod_cidrs = ranges::pod_cidr_count(allocation.range, allocation.mask);
  if (pod_cidrs == 0) return allocation;
  for (const IpPrefix& pod_cidr : shoot.pod_cidrs)
    if (const auto index =
            ranges::pod_cidr_index(range.cidr, allocation.mask, pod_cidr.network())) {
      allocation.used.push_back(*index);
      allocation.next = (*index + 1) % pod_cidrs;
    }
  if (allocation.used.empty()) {
    const auto nodes = static_cast<std::uint64_t>(std::max<std::int64_t>(shoot.nodes.minimum, 0));
    allocation.used.resize(std::min({nodes, pod_cidrs, kMaxNodes}));
    std::iota(allocation.used.begin(), allocation.used.end(), std::uint64_t{0});
    allocation.next = allocation.used.size() % pod_cidrs;
  }
  ranges::sort_unique(allocation.used);
  return allocation;
}

}  // namespace

ranges::UntilConflict until_conflict(const Shoot& first, const Range& a, const Shoot& second,
                                     const Range& b) {
  return ranges::until_conflict(allocation_of(first, a), allocation_of(second, b));
}

ranges::UntilConflict until_conflict(const Shoot& shoot, const Range& pods, const IpPrefix& hosts) {
  const ranges::PodCidrAllocation all{.range = hosts, .mask = hosts.length(), .used = {0}};
  return ranges::until_conflict(allocation_of(shoot, pods), all);
}

bool deletes_routes_of_others(effective::Provider provider) {
  return provider::profile_of(provider).routes.shared.deletes_foreign;
}

}  // namespace overlane::overlap
