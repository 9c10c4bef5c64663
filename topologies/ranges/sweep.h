#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/net/prefix.h"

namespace overlane::ranges {

/// A range and whose it is.
struct IndexedRange {
  IpPrefix range;
  std::uint32_t id = 0;

  bool operator==(const IndexedRange&) const = default;
};

/// Puts claims in the order that sweep() needs: IPv4 before IPv6, by network, larger ranges first;
/// equal ranges keep their order.
void sort(std::vector<IndexedRange>& claims);

/// Calls enter(claim) for each claim in order. Those that were entered and not yet left are then
/// just the claims before it whose range contains its range or equals it. leave(claim) ends a
/// claim, last entered first; in the end all are left. Prefixes are nested or disjoint, so one pass
/// and a stack do, of at most 33 (IPv4) or 129 (IPv6) different ranges. References to claims are
/// into `sorted`.
template <typename Enter, typename Leave>
void sweep(std::span<const IndexedRange> sorted, Enter enter, Leave leave) {
  std::vector<const IndexedRange*> open;
  const auto leave_last = [&] {
    leave(*open.back());
    open.pop_back();
  };
  for (const IndexedRange& claim : sorted) {
    while (!open.empty() && !open.back()->range.contains(claim.range))
      leave_last();
    enter(claim);
    open.push_back(&claim);
  }
  while (!open.empty())
    leave_last();
}

/// How many pairs of claims overlap; equal ranges do. At most 2^32 claims.
std::uint64_t count_pairs(std::span<const IndexedRange> sorted);

}  // namespace overlane::ranges
