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

/// 2^-x in units of 2^-63, at most 2^-60 off; `x` as negative_log2() gives it.
std::uint64_t half_to_the(std::uint64_t x);

}  // namespace overlane
