#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/net/prefix.h"

// Containment among many ranges in one pass. Prefixes are either nested or disjoint, so after
// sorting (by address, larger ranges first) a stack holds exactly the ranges around the current
// one. Sorting is a radix sort.
namespace overlane::ranges {

/// A range and an id.
struct IndexedRange {
  IpPrefix range;
  std::uint32_t id = 0;

  bool operator==(const IndexedRange&) const = default;
};

/// Sorts entries for sweep(): IPv4 before IPv6, by network, larger ranges first; stable.
void sort(std::vector<IndexedRange>& entries);

/// Calls enter(entry) for each entry in order. At that time, the entries that were entered and not
/// left are exactly the earlier entries whose range contains or equals the range of `entry`. Calls
/// leave(entry) in reverse order; at the end, all entries have been left. Prefixes are nested or
/// disjoint, so one pass with a stack of at most 33 (IPv4) or 129 (IPv6) distinct ranges is enough.
/// The references passed to enter and leave are elements of `sorted`.
template <typename Enter, typename Leave>
void sweep(std::span<const IndexedRange> sorted, Enter enter, Leave leave) {
  std::vector<const IndexedRange*> open;
  const auto leave_last = [&] {
    leave(*open.back());
    open.pop_back();
  };
  for (const IndexedRange& entry : sorted) {
    while (!open.empty() && !open.back()->range.contains(entry.range))
      leave_last();
    enter(entry);
    open.push_back(&entry);
  }
  while (!open.empty())
    leave_last();
}

/// Number of overlapping pairs, including equal ranges. Requires at most 2^32 entries.
std::uint64_t count_pairs(std::span<const IndexedRange> sorted);

}  // namespace overlane::ranges
