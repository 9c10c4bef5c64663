#include "results/stats/median.h"

#include <gtest/gtest.h>

#include "sim/random/stream.h"

namespace overlane::stats {
namespace median_test {

std::vector<double> uniform(std::uint64_t entity, std::size_t count) {
  RandomStream stream(9, StreamUse::Resamples, entity);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(1 + static_cast<double>(stream.below(1'000'001)) / 1e6);
  return values;
}

TEST(Median, OfOddAndEvenCounts) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Median, EqualValuesHaveNoInterval) {
  const std::vector<double> values(5, 3.0);
  EXPECT_EQ(median_estimate(values), (Estimate{3, 3, 3}));
  EXPECT_EQ(median_ratio_estimate(values, values), (Estimate{1, 1, 1}));
}

/// Quantiles of resampled medians are values of the list, so the intervals of short lists are
/// coarse: over 1,000 series of 10 to 40 values, 92 to 96 % contained the true median.
TEST(Median, IntervalsContainTheTrueMedianAsOftenAsTheySay) {
  int hits = 0, ratio_hits = 0;
  constexpr int kSeries = 400;
  for (std::uint64_t series = 0; series < kSeries; ++series) {
    const auto values = uniform(2 * series, 20);
    hits += median_estimate(values).contains(1.5) ? 1 : 0;
    ratio_hits += median_ratio_estimate(values, uniform(2 * series + 1, 20)).contains(1) ? 1 : 0;
  }
  EXPECT_GE(hits, kSeries * 91 / 100);
  EXPECT_GE(ratio_hits, kSeries * 91 / 100);
  EXPECT_LT(hits, kSeries) << "an interval that is never wrong is too wide";
}

TEST(Median, TheIntervalShrinksWithMoreValues) {
  EXPECT_LT(median_estimate(uniform(1, 400)).half_width(),
            median_estimate(uniform(1, 25)).half_width() / 2);
}

}  // namespace median_test
}  // namespace overlane::stats
