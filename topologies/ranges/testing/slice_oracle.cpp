#include "topologies/ranges/testing/slice_oracle.h"

#include <algorithm>

#include "topologies/ranges/testing/oracle.h"

namespace overlane::ranges::testing {
namespace {

std::vector<IpPrefix> slices_of(const SliceAllocation& allocation) {
  std::vector<IpPrefix> slices = all_ranges(allocation.range, allocation.mask);
  std::erase_if(slices, [&](const IpPrefix& each) { return each.length() != allocation.mask; });
  return slices;
}

/// In the order of the nodes that get them: those in use, and one by one those to come.
struct Handed {
  std::vector<IpPrefix> slices;
  std::size_t in_use;

  /// What `created` new nodes and the old ones have.
  std::span<const IpPrefix> after(std::size_t created) const {
    return std::span(slices).first(in_use + created);
  }
  std::size_t to_come() const { return slices.size() - in_use; }
};

Handed hand_out(const SliceAllocation& allocation, std::uint64_t next) {
  const std::vector<IpPrefix> slices = slices_of(allocation);
  std::vector<bool> used(slices.size());
  Handed handed{{}, allocation.used.size()};
  for (const std::uint64_t index : allocation.used) {
    used[index] = true;
    handed.slices.push_back(slices[index]);
  }
  while (handed.slices.size() < slices.size()) {
    while (used[next])
      next = (next + 1) % slices.size();
    used[next] = true;
    handed.slices.push_back(slices[next]);
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

UntilConflict slowly_until_conflict(const SliceAllocation& a, const SliceAllocation& b) {
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
