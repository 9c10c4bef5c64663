#include "results/stats/estimate.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
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

namespace groups_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::size_t> starts(const std::vector<double>& values) {
  std::vector<std::size_t> firsts;
  for (const Group& group : find_groups(values))
    firsts.push_back(group.first);
  return firsts;
}

/// Values around 1,000 with normally distributed noise (Box and Muller, 1958).
std::vector<double> noise(std::uint64_t entity, std::size_t count, double deviation) {
  RandomStream stream(5, StreamUse::Resamples, entity);
  const auto uniform = [&] { return static_cast<double>((stream.next() >> 11) + 1) * 0x1p-53; };
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    values.push_back(1000 + deviation * radius * std::cos(2 * std::acos(-1.0) * uniform()));
  }
  return values;
}

std::vector<double> with_step(std::vector<double> values, std::size_t from, double factor) {
  for (std::size_t i = from; i < values.size(); ++i)
    values[i] *= factor;
  return values;
}

TEST(Groups, NothingAndOneValue) {
  EXPECT_THAT(find_groups({}), IsEmpty());
  EXPECT_THAT(starts({7}), ElementsAre(0));
  EXPECT_THAT(starts({0, 0, 0}), ElementsAre(0));
}

TEST(Groups, TheGroupsHaveTheMeanAndDeviationOfTheirValues) {
  const auto groups = find_groups(std::vector<double>{10, 12, 10, 12, 30, 30, 30, 30});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].end(), 4u);
  EXPECT_DOUBLE_EQ(groups[0].mean, 11);
  EXPECT_DOUBLE_EQ(groups[0].deviation, 1);
  EXPECT_EQ(groups[1].end(), 8u);
  EXPECT_DOUBLE_EQ(groups[1].mean, 30);
  EXPECT_NEAR(groups[1].deviation, 0, 1e-9);
}

/// The annual flow of the Nile at Aswan from 1871 in 10^8 m³ (Cobb, "The problem of the Nile",
/// Biometrika 1978): it fell in 1899.
TEST(Groups, FindsTheFallOfTheNile) {
  const std::vector<double> nile{
      1120, 1160, 963, 1210, 1160, 1160, 813,  1230, 1370, 1140, 995,  935,  1110, 994,  1020,
      960,  1180, 799, 958,  1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774,  840,
      874,  694,  940, 833,  701,  916,  692,  1020, 1050, 969,  831,  726,  456,  824,  702,
      1120, 1100, 832, 764,  821,  768,  845,  864,  862,  698,  845,  744,  796,  1040, 759,
      781,  865,  845, 944,  984,  897,  822,  1010, 771,  676,  649,  846,  812,  742,  801,
      1040, 860,  874, 848,  890,  744,  749,  838,  1050, 918,  986,  797,  923,  975,  815,
      1020, 906,  901, 1170, 912,  746,  919,  718,  714,  740};
  ASSERT_EQ(nile.size(), 100u);
  EXPECT_THAT(starts(nile), ElementsAre(0, 28));
}

/// The series of Apache Otava's own test, which expects one change at index 10.
TEST(Groups, FindsTheStepThatOtavaFinds) {
  EXPECT_THAT(starts({1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96,
                      0.50, 0.51, 0.48, 0.48, 0.55, 0.50, 0.49, 0.51, 0.50, 0.49}),
              ElementsAre(0, 10));
}

TEST(Groups, NoiseIsOneGroup) {
  int split = 0;
  for (std::uint64_t series = 0; series < 200; ++series)
    split += starts(noise(series, 30, 10)).size() > 1 ? 1 : 0;
  EXPECT_LE(split, 4) << "of 200 series of 30 values with 1 % of noise";
}

TEST(Groups, AStepOfFiveTimesTheNoiseIsFoundWhereItIs) {
  int found = 0;
  for (std::uint64_t series = 0; series < 200; ++series)
    found += starts(with_step(noise(series, 30, 10), 20, 1.05)) == std::vector<std::size_t>{0, 20}
                 ? 1
                 : 0;
  EXPECT_GE(found, 190) << "of 200";
}

TEST(Groups, OneSpikeDoesNotMoveTheValuesAfterIt) {
  std::vector<double> values = noise(3, 30, 10);
  values[15] *= 1.5;
  const auto groups = find_groups(values);
  EXPECT_NEAR(groups.front().mean, groups.back().mean, 10);
}

/// The search is greedy in one respect: it does not choose a worse split before a group even if
/// that would make the group's mean cheaper.
TEST(Groups, AreTheBestOfAllSplitsOfAShortSeries) {
  constexpr std::size_t kValues = 10;
  int best_found = 0;
  for (std::uint64_t series = 0; series < 60; ++series) {
    const double step = 1 + 0.02 * static_cast<double>(series % 6);
    const std::vector<double> values = with_step(noise(series, kValues, 20), 6, step);
    double best = description_bits(values, std::vector<std::size_t>{0});
    for (unsigned cuts = 0; cuts < 1u << (kValues - 1); ++cuts) {
      std::vector<std::size_t> firsts{0};
      for (std::size_t at = 1; at < kValues; ++at)
        if ((cuts >> (at - 1) & 1) != 0) firsts.push_back(at);
      best = std::min(best, description_bits(values, firsts));
    }
    const double found = description_bits(values, starts(values));
    EXPECT_GE(found, best);
    EXPECT_LE(found, best + 1) << series;
    best_found += found == best ? 1 : 0;
  }
  EXPECT_GE(best_found, 57) << "of 60";
}

}  // namespace groups_test

}  // namespace overlane::stats
