#include "scenarios/migration/observe/intervals.h"

#include <algorithm>
#include <utility>

namespace overlane::migration {

Intervals joined(Intervals intervals) {
  if (intervals.size() < 2) return intervals;
  std::ranges::sort(intervals, {}, &Interval::begin);
  Intervals result;
  for (const Interval& one : intervals) {
    if (!result.empty() && one.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, one.end);
    } else {
      result.push_back(one);
    }
  }
  return result;
}

Intervals in_both(const Intervals& a, const Intervals& b) {
  Intervals result;
  for (const Interval& one : a)
    for (const Interval& other : b) {
      const Interval common{std::max(one.begin, other.begin), std::min(one.end, other.end)};
      if (common.begin < common.end) result.push_back(common);
    }
  return result;
}

Intervals in_either(Intervals a, const Intervals& b) {
  a.insert(a.end(), b.begin(), b.end());
  return joined(std::move(a));
}

Picos longest_of(const Intervals& intervals) {
  Picos longest;
  for (const Interval& one : intervals)
    if (one.end != kNever) longest = std::max(longest, one.end - one.begin);
  return longest;
}

}  // namespace overlane::migration
