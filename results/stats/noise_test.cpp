#include "results/stats/noise.h"

#include <gtest/gtest.h>

#include "results/stats/testing/nights.h"

namespace overlane::stats {

namespace power_test {

using model::Tolerance;

std::vector<double> ratios(double noise) {
  std::vector<double> values = testing::normal_numbers(1, 200);
  for (double& value : values)
    value = 1 + noise * value;
  return values;
}

TEST(Power, ALittleNoiseHidesNothingBeyondTheLimit) {
  const Power power = power_of(ratios(0.01), 10, Tolerance::Time);
  EXPECT_LT(power.noise_floor, 0.015);
  EXPECT_EQ(power.false_alarms, 0);
  EXPECT_EQ(power.false_trends, 0);
  // A step of the limit's size is found half of the time.
  EXPECT_EQ(power.found_in_a_night, 0.075);
  EXPECT_EQ(power.found_in_20_nights, 0.075);
}

TEST(Power, MoreNoiseHidesMore) {
  const Power power = power_of(ratios(0.10), 10, Tolerance::Time);
  EXPECT_GT(power.noise_floor, 0.05);
  EXPECT_GT(power.found_in_a_night.value_or(1), 0.10);
  EXPECT_LE(power.found_in_20_nights.value_or(1), power.found_in_a_night.value_or(1));
}

TEST(Power, EqualRoundsShowEveryStepBeyondTheLimit) {
  const std::vector<double> equal(10, 1.0);
  const Power power = power_of(equal, 5, Tolerance::MemoryBoundTime);
  EXPECT_EQ(power.noise_floor, 0);
  EXPECT_EQ(power.found_in_a_night, 0.15);
  EXPECT_EQ(power.found_in_5_nights, 0.15);
}

}  // namespace power_test

}  // namespace overlane::stats
