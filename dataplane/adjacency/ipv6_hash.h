#pragma once

#include <bit>
#include <cstdint>

namespace overlane::adjacency {

/// 2^64 over the golden ratio (Knuth, "The Art of Computer Programming" 3, 6.4: Fibonacci hashing):
/// of a product with it, the upper bits are the hash.
inline constexpr std::uint64_t kHashFactor = 0x9e3779b97f4a7c15;

/// Of an IPv6 address by its halves. One multiplication, as each lookup computes it. Subnets of a
/// cluster differ in the lower bits of `high`, hosts in those of `low`.
constexpr std::uint64_t ipv6_hash(std::uint64_t high, std::uint64_t low) {
  return (low ^ std::rotl(high, 28)) * kHashFactor;
}

}  // namespace overlane::adjacency
