#include "scenarios/migration/actors/ipam_blocks.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "scenarios/migration/actors/draw.h"

namespace overlane::migration {
namespace {

/// Calico's default blockSize of an IPv4 pool, which networking-calico does not change.
constexpr std::uint8_t kBlockLength = 26;
constexpr std::uint32_t kBlockAddresses = 1u << (32 - kBlockLength);

/// Blocks of the pod range as numbers from 0 on.
struct Pool {
  std::uint64_t blocks = 0;
  Ipv4Prefix pods;

  explicit Pool(const Transition& transition) {
    for (const IpPrefix& range : transition.before.pods)
      if (const auto ipv4 = range.ipv4()) {
        pods = *ipv4;
        blocks = ipv4->length < kBlockLength ? 1ull << (kBlockLength - ipv4->length) : 1;
        return;
      }
  }
  /// The blocks of a node's pod CIDR: from the first number to before the second.
  std::pair<std::uint64_t, std::uint64_t> of(const IpPrefix& pod_cidr) const {
    const Ipv4Prefix cidr = *pod_cidr.ipv4();
    const std::uint64_t first = (cidr.network.bits - pods.network.bits) / kBlockAddresses;
    const std::uint64_t count =
        cidr.length < kBlockLength ? 1ull << (kBlockLength - cidr.length) : 1;
    return {first, first + count};
  }
};

}  // namespace

std::uint32_t blocks_per_node(const Transition& transition) {
  return std::max(1u, (transition.before.max_pods + kBlockAddresses - 1) / kBlockAddresses);
}

std::uint32_t nodes_with_foreign_blocks(const Transition& transition, std::uint64_t seed) {
  if (!transition.changes_ipam()) return 0;
  const Pool pool(transition);
  if (pool.blocks == 0) return 0;
  std::set<std::uint64_t> claimed;
  const std::uint32_t wanted = blocks_per_node(transition);
  for (std::uint32_t node = 0; node < transition.nodes_at_start(); ++node) {
    RandomStream stream = stream_of(seed, Drawer::IpamBlock, node);
    std::uint64_t block = stream.below(pool.blocks);
    for (std::uint32_t i = 0; i < wanted && claimed.size() < pool.blocks; ++i) {
      while (!claimed.insert(block).second)
        block = (block + 1) % pool.blocks;
    }
  }
  std::uint32_t struck = 0;
  for (std::uint32_t node = 0; node < transition.nodes_at_start(); ++node) {
    const auto [first, end] = pool.of(transition.from.nodes[node].member().ipv4->pod_cidr);
    const auto block = claimed.lower_bound(first);
    struck += block != claimed.end() && *block < end;
  }
  return struck;
}

double probability_of_foreign_blocks(const Transition& transition) {
  if (!transition.changes_ipam()) return 0;
  const Pool pool(transition);
  if (pool.blocks == 0) return 0;
  const auto [first, end] = pool.of(transition.from.nodes.front().member().ipv4->pod_cidr);
  const double nodes = transition.nodes_at_start();
  const double used = static_cast<double>(end - first) * nodes / static_cast<double>(pool.blocks);
  if (used >= 1) return 1;
  return -std::expm1(nodes * blocks_per_node(transition) * std::log1p(-used));
}

}  // namespace overlane::migration
