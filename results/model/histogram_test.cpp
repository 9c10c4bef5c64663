#include "results/model/histogram.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "sim/random/stream.h"

namespace overlane::model {
namespace histogram_test {

Histogram of(const std::vector<std::int64_t>& values) {
  Histogram histogram;
  for (const std::int64_t value : values)
    histogram.record(value);
  return histogram;
}

/// Values up to 2^62, evenly distributed over the orders of magnitude.
std::vector<std::int64_t> random_values(std::uint64_t entity, std::size_t count) {
  RandomStream stream(7, StreamUse::Pattern, entity);
  std::vector<std::int64_t> values;
  while (values.size() < count)
    values.push_back(static_cast<std::int64_t>(stream.next() >> (2 + stream.below(62))));
  return values;
}

constexpr std::pair<std::int64_t, std::int64_t> kQuantiles[] = {
    {0, 1}, {1, 100}, {1, 3}, {50, 100}, {90, 100}, {99, 100}, {999, 1000}, {1, 1}};

TEST(Histogram, QuantilesAreAtMostOneBucketAboveTheExactOnes) {
  for (std::uint64_t round = 0; round < 50; ++round) {
    std::vector<std::int64_t> values = random_values(round, 1 + round * 37);
    const Histogram histogram = of(values);
    std::ranges::sort(values);
    const auto count = static_cast<std::int64_t>(values.size());
    for (const auto& [numerator, denominator] : kQuantiles) {
      const std::int64_t rank =
          std::max<std::int64_t>(1, (count * numerator + denominator - 1) / denominator);
      const std::int64_t exact = values[static_cast<std::size_t>(rank - 1)];
      const std::int64_t found = histogram.quantile(numerator, denominator);
      EXPECT_GE(found, exact) << numerator << "/" << denominator << " of " << count;
      EXPECT_LE(found - exact, exact / 128) << numerator << "/" << denominator << " of " << count;
    }
  }
}

TEST(Histogram, CountMinMaxAndMeanAreExact) {
  const Histogram histogram = of({1'000'003, 7, 500'000'000'001, 7});
  EXPECT_EQ(histogram.count(), 4);
  EXPECT_EQ(histogram.min(), 7);
  EXPECT_EQ(histogram.max(), 500'000'000'001);
  EXPECT_EQ(histogram.mean(), 125'000'250'004);
}

TEST(Histogram, ValuesBelow256AreExact) {
  for (std::int64_t value = 0; value < 256; ++value)
    EXPECT_EQ(of({value, 1'000'000}).quantile(1, 2), value);
}

TEST(Histogram, HoldsTheLargestValue) {
  const auto largest = std::numeric_limits<std::int64_t>::max();
  const Histogram histogram = of({largest, largest, 0});
  EXPECT_EQ(histogram.quantile(1, 1), largest);
  EXPECT_EQ(histogram.mean(), static_cast<std::int64_t>((std::uint64_t{1} << 63) / 3 * 2));
}

TEST(Histogram, MergingPartsInAnyOrderEqualsRecordingTheWhole) {
  const auto first = random_values(1, 1000);
  const auto second = random_values(2, 10);
  std::vector<std::int64_t> both = first;
  both.insert(both.end(), second.begin(), second.end());

  Histogram forwards = of(first);
  forwards += of(second);
  Histogram backwards;
  backwards += of(second);
  backwards += Histogram();
  backwards += of(first);
  EXPECT_EQ(forwards, of(both));
  EXPECT_EQ(backwards, of(both));
}

TEST(Histogram, EmptyHistogramReturnsZero) {
  const Histogram empty;
  EXPECT_EQ(empty.count(), 0);
  EXPECT_EQ(empty.mean(), 0);
  EXPECT_EQ(empty.quantile(99, 100), 0);
}

}  // namespace histogram_test
}  // namespace overlane::model
