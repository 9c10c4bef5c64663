#include "topologies/ranges/sweep.h"

#include <algorithm>

namespace overlane::ranges {

void sort(std::vector<Claim>& claims) {
  std::stable_sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
    const bool a_is_ipv6 = !a.range.is_ipv4();
    const bool b_is_ipv6 = !b.range.is_ipv4();
    return a_is_ipv6 != b_is_ipv6 ? b_is_ipv6 : a.range < b.range;
  });
}

std::uint64_t count_pairs(std::span<const Claim> sorted) {
  std::uint64_t pairs = 0;
  std::uint64_t open = 0;
  sweep(
      sorted, [&](const Claim&) { pairs += open++; }, [&](const Claim&) { --open; });
  return pairs;
}

}  // namespace overlane::ranges
