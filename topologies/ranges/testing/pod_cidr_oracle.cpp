#include "topologies/ranges/testing/pod_cidr_oracle.h"

#include <algorithm>

#include "topologies/ranges/testing/oracle.h"

namespace overlane::ranges::testing {
namespace {

std::vector<IpPrefix> pod_cidrs_of(const PodCidrAllocation& allocation) {
  std::vector<IpPrefix> pod_cidrs = all_ranges(allocation.range, allocation.mask);
  std::erase_if(pod_cidrs, [&](const IpPrefix& each) { return each.length() != allocation.mask; });
  return pod_cidrs;
}

/// In the order of the nodes that get them: those in use, and one by one those to come.
struct Handed {
  std::vector<IpPrefix> pod_cidrs;
  std::size_t in_use;

  /// What `created` new nodes and the old ones have.
  std::span<const IpPrefix> after(std::size_t created) const {
    return std::span(pod_cidrs).first(in_use + created);
  }
  std::size_t to_come() const { return pod_cidrs.size() - in_use; }
};

Handed hand_out(const PodCidrAllocation& allocation, std::uint64_t next) {
  const std::vector<IpPrefix> pod_cidrs = pod_cidrs_of(allocation);
  std::vector<bool> used(pod_cidrs.size());
  Handed handed{{}, allocation.used.size()};
  for (const std::uint64_t index : allocation.used) {
    used[index] = true;
    handed.pod_cidrs.push_back(pod_cidrs[index]);
  }
  while (handed.pod_cidrs.size() < pod_cidrs.size()) {
    while (used[next])
      next = (next + 1) % pod_cidrs.size();
    used[next] = true;
    handed.pod_cidrs.push_back(pod_cidrs[next]);
  }
  return handed;
}

bool meet(std::span<const IpPrefix> a, std::span<const IpPrefix> b) {
  return std::any_of(a.begin(), a.end(), [&](const IpPrefix& one) {
    return std::any_of(b.begin(), b.end(),
                       [&](const IpPrefix& other) { return overlap(one, other); });
  });
}

std::optional<std::uint64_t> fewest(const Handed& a, const Handed& b) {
  for (std::size_t nodes = 0; nodes <= a.to_come() + b.to_come(); ++nodes) {
    for (std::size_t in_a = 0; in_a <= std::min(nodes, a.to_come()); ++in_a) {
      const std::size_t in_b = nodes - in_a;
      if (in_b <= b.to_come() && meet(a.after(in_a), b.after(in_b))) return nodes;
    }
  }
  return std::nullopt;
}

}  // namespace

UntilConflict slowly_until_conflict(const PodCidrAllocation& a, const PodCidrAllocation& b) {
  UntilConflict result{fewest(hand_out(a, 0), hand_out(b, 0)), std::nullopt};
  for (const std::uint64_t a_start : {std::uint64_t{0}, a.next}) {
    for (const std::uint64_t b_start : {std::uint64_t{0}, b.next}) {
      const auto nodes = fewest(hand_out(a, a_start), hand_out(b, b_start));
      if (nodes && (!result.creations || *nodes < *result.creations)) result.creations = nodes;
    }
  }
  return result;
}

}  // namespace overlane::ranges::testing
