#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/random/stream.h"
#include "topologies/ranges/pod_cidrs.h"
#include "topologies/ranges/sweep.h"

/// The slow and obvious ways: addresses are numbers, and everything is compared with everything.

namespace overlane::ranges::testing {

__extension__ using Number = unsigned __int128;

/// Addresses as numbers of 128 bits.
Number first(const IpPrefix& range);
Number last(const IpPrefix& range);
bool overlap(const IpPrefix& a, const IpPrefix& b);

/// Ids of entries that overlap, the larger range first and of equal ones the one before the other;
/// sorted.
std::vector<std::pair<std::uint32_t, std::uint32_t>> overlapping(
    std::span<const IndexedRange> entries);

/// Every network inside `universe`, itself too, of at most `longest` bits of its family.
std::vector<IpPrefix> all_ranges(const IpPrefix& universe, std::uint8_t longest);

/// A network of either family: often one of few, sometimes 0.0.0.0/0, ::/0 or a single address,
/// sometimes any.
IpPrefix random_range(RandomStream& random);

/// until_conflict() by creating node after node, for few pod CIDRs.
UntilConflict slowly_until_conflict(const PodCidrAllocation& a, const PodCidrAllocation& b);

}  // namespace overlane::ranges::testing
