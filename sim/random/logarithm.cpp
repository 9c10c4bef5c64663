#include "sim/random/logarithm.h"

#include <array>
#include <bit>

namespace overlane {
namespace {

constexpr std::uint64_t kOne63 = std::uint64_t{1} << 63;

/// The high half of a product: of two fractions of 2^64 it is their product.
constexpr std::uint64_t high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(Wide{a} * b >> 64);
}

/// log2 of a mantissa in [1, 2), which counts in 2^-63, in units of 2^-56: its binary places one by
/// one, as squaring doubles the logarithm.
constexpr std::uint64_t log2_by_squaring(std::uint64_t mantissa) {
  std::uint64_t result = 0;
  for (int place = 1; place <= kLogPlaces; ++place) {
    const Wide square = Wide{mantissa} * mantissa;
    result <<= 1;
    if (square >> 127 != 0) {
      result |= 1;
      mantissa = static_cast<std::uint64_t>(square >> 64);
    } else {
      mantissa = static_cast<std::uint64_t>(square >> 63);
    }
  }
  return result;
}

/// The tables' steps: the first seven places behind the point choose one.
constexpr int kStepBits = 7;
constexpr std::uint64_t kSteps = 1 << kStepBits;

/// log2(1 + i/128) in units of 2^-56.
constexpr auto kLogs = [] {
  std::array<std::uint64_t, kSteps> table{};
  for (std::uint64_t i = 0; i < kSteps; ++i)
    table[i] = log2_by_squaring(kOne63 + (i << (63 - kStepBits)));
  return table;
}();

/// 2^(−i/128) in units of 2^-63: products of 2^(−1/2), 2^(−1/4), …
constexpr auto kPowers = [] {
  std::array<std::uint64_t, kSteps> table{};
  std::array<std::uint64_t, kStepBits> roots{};
  std::uint64_t root = kOne63 / 2;
  for (std::uint64_t& next : roots)
    next = root = square_root(Wide{root} << 63);
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    table[i] = kOne63;
    for (int bit = 0; bit < kStepBits; ++bit)
      if ((i >> (kStepBits - 1 - bit) & 1) != 0)
        table[i] = static_cast<std::uint64_t>(Wide{table[i]} * roots[std::size_t(bit)] >> 63);
  }
  return table;
}();

/// ln 2 in units of 2^-64.
constexpr std::uint64_t kLnOf2 = 0xb17217f7d1cf79ac;

/// 1/n in units of 2^-64.
constexpr std::uint64_t one_over(std::uint64_t n) {
  return static_cast<std::uint64_t>((Wide{1} << 64) / n);
}

/// ln(1 + r) for r < 1/128, in units of 2^-64: r − r²/2 + … + r⁷/7.
std::uint64_t ln_of_one_plus(std::uint64_t r) {
  std::uint64_t sum = one_over(7);
  for (std::uint64_t n = 6; n >= 2; --n)
    sum = one_over(n) - high(r, sum);
  return r - high(r, high(r, sum));
}

/// 1 − e^−y for y < 1/128, in units of 2^-64: y − y²/2! + … + y⁷/7!.
std::uint64_t one_minus_exp(std::uint64_t y) {
  std::uint64_t sum = one_over(7);
  for (std::uint64_t n = 6; n >= 2; --n)
    sum = one_over(n) - high(one_over(n), high(y, sum));
  return y - high(y, high(y, sum));
}

/// log2 of a mantissa in [1, 2), in units of 2^-56.
std::uint64_t log2_of_mantissa(std::uint64_t mantissa) {
  const std::uint64_t step = mantissa >> (63 - kStepBits) & (kSteps - 1);
  const std::uint64_t base = kOne63 + (step << (63 - kStepBits));
  const auto rest = static_cast<std::uint64_t>((Wide{mantissa - base} << 64) / base);
  return kLogs[step] + (high(ln_of_one_plus(rest), kLog2OfE) >> (63 - kLogPlaces));
}

}  // namespace

std::uint64_t negative_log2(std::uint64_t fraction) {
  const int zeros = std::countl_zero(fraction);
  const auto whole = static_cast<std::uint64_t>(zeros + 1) << kLogPlaces;
  return whole - log2_of_mantissa(fraction << zeros);
}

std::uint64_t negative_ln(std::uint64_t fraction) {
  return high(negative_log2(fraction), kLnOf2);
}

std::uint64_t log2_of(std::uint64_t number) {
  return (std::uint64_t{64} << kLogPlaces) - negative_log2(number);
}

std::uint64_t half_to_the(std::uint64_t x) {
  const std::uint64_t whole = x >> kLogPlaces;
  if (whole >= 63) return 0;
  const std::uint64_t step = x >> (kLogPlaces - kStepBits) & (kSteps - 1);
  const std::uint64_t rest = x << (64 - kLogPlaces + kStepBits) >> kStepBits;
  const std::uint64_t power = kPowers[step];
  return (power - high(power, one_minus_exp(high(rest, kLnOf2)))) >> whole;
}

}  // namespace overlane
