#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dataplane/net/units.h"

namespace overlane::migration {

/// A time. An end of kNever: it is never over.
struct Interval {
  Picos begin;
  Picos end;
};
using Intervals = std::vector<Interval>;
inline constexpr Picos kNever{INT64_MAX};

/// When each node is there and runs pods; empty: all do all the time.
using Presence = std::vector<Interval>;
/// Whether both nodes are there at one time.
inline bool coexist(const Presence& presence, std::uint32_t a, std::uint32_t b) {
  return presence.empty() || std::max(presence[a].begin, presence[b].begin) <
                                 std::min(presence[a].end, presence[b].end);
}

/// Sorts them by time and makes one of those that overlap or touch.
Intervals joined(Intervals intervals);
/// The times that both have; each is joined.
Intervals in_both(const Intervals& a, const Intervals& b);
/// The times that one of them has.
Intervals in_either(Intervals a, const Intervals& b);

/// The longest of those that are over; zero if there is none.
Picos longest_of(const Intervals& intervals);
/// Of joined ones: whether one is never over.
inline bool last_forever(const Intervals& intervals) {
  return !intervals.empty() && intervals.back().end == kNever;
}

}  // namespace overlane::migration
