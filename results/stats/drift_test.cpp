#include "results/stats/drift.h"

#include <gtest/gtest.h>

#include "results/stats/testing/nights.h"

namespace overlane::stats {
namespace drift_test {

TEST(Drift, IsTheEndOfTheLineOverItsBeginning) {
  EXPECT_NEAR(drift_of(std::vector<double>{100, 102, 104, 106, 108, 110}).value_or(0), 1.1, 1e-9);
  EXPECT_NEAR(drift_of(std::vector<double>{10, 9, 8, 7, 6, 5}).value_or(0), 0.5, 1e-9);
  // One wild value does not bend the line.
  EXPECT_NEAR(
      drift_of(std::vector<double>{100, 101, 102, 999, 104, 105, 106, 107, 108, 109}).value_or(0),
      1.09, 0.01);
}

TEST(Drift, NoiseAndShortSeriesHaveNone) {
  EXPECT_FALSE(drift_of(std::vector<double>{1, 2, 3, 4}));
  EXPECT_FALSE(drift_of(std::vector<double>{5, 5, 5, 5, 5, 5, 5, 5}));
  int drifts = 0;
  for (std::uint64_t series = 0; series < 500; ++series) {
    std::vector<double> values = testing::normal_numbers(series, 14);
    for (double& value : values)
      value = 100 + value;
    drifts += drift_of(values) ? 1 : 0;
  }
  EXPECT_LE(drifts, 10) << "of 500, at 1 %";
}

}  // namespace drift_test
}  // namespace overlane::stats
