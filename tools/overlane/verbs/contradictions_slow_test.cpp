// The test of contradictions_test.cpp with a larger sample.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/overlane/testing/contradictions.h"

namespace overlane::command {
namespace contradictions_slow_test {

TEST(ContradictionsSlow, ThereAreNoneOverManyGeneratedShoots) {
  constexpr std::uint64_t kFirst = 1'000'000;
  constexpr std::uint64_t kShoots = 6'000;
  agreement::Counts counts;
  for (std::uint64_t seed = kFirst; seed < kFirst + kShoots; ++seed) {
    const agreement::GeneratedShoot shoot = agreement::generate_shoot(seed);
    SCOPED_TRACE(agreement::describe(seed, shoot));
    EXPECT_THAT(agreement::contradictions(shoot, counts), ::testing::IsEmpty());
  }
  EXPECT_GT(counts["explained"], kShoots / 2);
}

}  // namespace contradictions_slow_test
}  // namespace overlane::command
