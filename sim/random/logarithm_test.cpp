#include "sim/random/logarithm.h"

#include <cmath>

#include <gtest/gtest.h>

#include "sim/random/stream.h"

namespace overlane {
namespace logarithm_test {

constexpr long double kLogUnit = 1.0L / static_cast<long double>(std::uint64_t{1} << kLogPlaces);

// What the header promises.
const double kLogError = std::ldexp(1.0, -54);
const double kPowerError = std::ldexp(1.0, -60);

/// How far a number of our own, of this unit, is from what the library says.
double error_of(std::uint64_t own, long double unit, long double exact) {
  return static_cast<double>(std::abs(static_cast<long double>(own) * unit - exact));
}

TEST(Logarithm, OfPowersOfTwoIsExact) {
  for (std::uint64_t n = 0; n < 64; ++n) {
    EXPECT_EQ(log2_of(std::uint64_t{1} << n), n << kLogPlaces);
    EXPECT_EQ(negative_log2(std::uint64_t{1} << n), (64 - n) << kLogPlaces);
    EXPECT_EQ(half_to_the(n << kLogPlaces), n == 63 ? 0u : (std::uint64_t{1} << 63) >> n);
  }
}

TEST(Logarithm, IsThatOfTheLibrary) {
  RandomStream stream(1, StreamUse::Pattern, 0);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t fraction = (stream.next() >> stream.below(64)) | 1;
    const long double exact = 64 - std::log2(static_cast<long double>(fraction));
    ASSERT_LT(error_of(negative_log2(fraction), kLogUnit, exact), kLogError) << fraction;
    ASSERT_LT(error_of(negative_ln(fraction), kLogUnit, exact * std::log(2.0L)), kLogError)
        << fraction;
  }
}

TEST(Logarithm, PowersAreThoseOfTheLibrary) {
  RandomStream stream(1, StreamUse::Pattern, 0);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t x = stream.below(std::uint64_t{62} << kLogPlaces) >> stream.below(56);
    const long double exact = std::exp2(-static_cast<long double>(x) * kLogUnit);
    ASSERT_LT(error_of(half_to_the(x), std::ldexp(1.0L, -63), exact), kPowerError) << x;
  }
}

TEST(Logarithm, NeverFallsWhereItMustRise) {
  for (std::uint64_t number = 1; number < 300'000; ++number)
    ASSERT_LT(log2_of(number), log2_of(number + 1)) << number;
  // Across the steps of the tables, unit by unit.
  constexpr std::uint64_t kStep = std::uint64_t{1} << (kLogPlaces - 7);
  for (std::uint64_t step = 1; step < 256; ++step)
    for (std::uint64_t x = step * kStep - 100; x < step * kStep + 100; ++x)
      ASSERT_GE(half_to_the(x), half_to_the(x + 1)) << step;
}

}  // namespace logarithm_test
}  // namespace overlane
