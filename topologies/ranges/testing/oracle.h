#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/random/stream.h"
#include "topologies/ranges/pod_cidrs.h"
#include "topologies/ranges/sweep.h"

/// Slow and simple reference implementations: they compare everything with everything.

namespace overlane::ranges::testing {

__extension__ using Number = unsigned __int128;

/// First and last address as 128-bit numbers.
Number first(const IpPrefix& range);
Number last(const IpPrefix& range);
bool overlap(const IpPrefix& a, const IpPrefix& b);

/// Ids of entries that overlap, sorted: in each pair the larger range first, and of equal ranges
/// the earlier one.
std::vector<std::pair<std::uint32_t, std::uint32_t>> overlapping(
    std::span<const IndexedRange> entries);

/// Every network inside `universe`, including itself, with a prefix length of at most `longest` in
/// its family.
std::vector<IpPrefix> all_ranges(const IpPrefix& universe, std::uint8_t longest);

/// A network of either family: often one of a few, sometimes 0.0.0.0/0, ::/0 or a single address,
/// sometimes an arbitrary one.
IpPrefix random_range(RandomStream& random);

/// until_conflict() by creating one node after the other, for few pod CIDRs.
UntilConflict slowly_until_conflict(const PodCidrAllocation& a, const PodCidrAllocation& b);

}  // namespace overlane::ranges::testing
