#pragma once

#include <cstdint>

namespace overlane {

// Logarithms and powers in integers: the same on every machine and with every compiler, which the
// mathematical library's are not.

/// Binary places of the logarithms below: 2^56 stands for 1.
inline constexpr int kLogPlaces = 56;

/// −log2(fraction / 2^64), at most 2^-54 off; `fraction` > 0. Between 0 and 64.
std::uint64_t negative_log2(std::uint64_t fraction);

/// −ln(fraction / 2^64), likewise.
std::uint64_t negative_ln(std::uint64_t fraction);

/// log2(number), likewise; `number` > 0.
std::uint64_t log2_of(std::uint64_t number);

/// log2(e) in units of 2^-63.
inline constexpr std::uint64_t kLog2OfE = 0xb8aa3b295c17f0bc;

/// 2^-x in units of 2^-63, at most 2^-60 off; `x` as negative_log2() gives it.
std::uint64_t half_to_the(std::uint64_t x);

__extension__ using Wide = unsigned __int128;

/// ⌊√number⌋.
constexpr std::uint64_t square_root(Wide number) {
  std::uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t next = root | std::uint64_t{1} << bit;
    if (Wide{next} * next <= number) root = next;
  }
  return root;
}

}  // namespace overlane
