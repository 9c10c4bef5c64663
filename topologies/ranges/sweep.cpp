#include "topologies/ranges/sweep.h"

namespace overlane::ranges {

std::uint64_t count_pairs(std::span<const IndexedRange> sorted) {
  std::uint64_t pairs = 0;
  std::uint64_t open = 0;
  sweep(
      sorted, [&](const IndexedRange&) { pairs += open++; }, [&](const IndexedRange&) { --open; });
  return pairs;
}

}  // namespace overlane::ranges
