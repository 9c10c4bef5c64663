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

TEST(Histogram, TheSameComesOutOfItsTexts) {
  std::vector<std::int64_t> values = random_values(3, 2000);
  values.push_back(std::numeric_limits<std::int64_t>::max());
  values.insert(values.end(), 5, values.back());  // A sum beyond 64 bits.
  const Histogram histogram = of(values);
  const auto read = Histogram::from_text(histogram.buckets_text(), histogram.sum_text(),
                                         histogram.min(), histogram.max());
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, histogram);
}

TEST(Histogram, WritesOnlyTheBucketsInUse) {
  const Histogram histogram = of({3, 3, 1000, 1000});
  EXPECT_EQ(histogram.buckets_text(), "3:2 1003:2");
  EXPECT_EQ(histogram.sum_text(), "2006");
}

TEST(Histogram, RefusesTextsOfNoHistogram) {
  struct Case {
    const char* buckets;
    const char* sum;
    std::int64_t min, max;
    const char* why;
  };
  constexpr Case kCases[] = {
      {"", "0", 0, 0, "no bucket holds a value"},
      {"3:2  5:1", "11", 3, 5, "a bucket is not END:COUNT"},
      {"3:2,5:1", "11", 3, 5, "buckets are not separated by a space"},
      {"3:", "6", 3, 3, "a bucket is not END:COUNT"},
      {"3:0", "6", 3, 3, "a bucket is not END:COUNT"},
      {"3:-1", "6", 3, 3, "a bucket is not END:COUNT"},
      {"3:9223372036854775807 5:1", "6", 3, 5, "a bucket is not END:COUNT"},
      {"99999999999999999999:1", "6", 3, 3, "a bucket is not END:COUNT"},
      {"1000:2", "2000", 1000, 1000, "no bucket ends at 1000 here"},
      {"5:1 3:2", "11", 5, 5, "no bucket ends at 3 here"},
      {"5:1 5:1", "10", 5, 5, "no bucket ends at 5 here"},
      {"3:2 5:1", "11", 2, 5, "the minimum is not in the first bucket"},
      {"3:2 5:1", "11", -3, 5, "the minimum is not in the first bucket"},
      {"3:2 5:1", "11", 3, 6, "the maximum is not in the last bucket"},
      {"3:2 5:1", "16", 3, 5, "the sum is not one of such values"},
      {"3:2 5:1", "8", 3, 5, "the sum is not one of such values"},
      {"3:2 5:1", "", 3, 5, "the sum is not one of such values"},
      {"3:2 5:1", "11x", 3, 5, "the sum is not one of such values"},
  };
  for (const Case& row : kCases) {
    const auto read = Histogram::from_text(row.buckets, row.sum, row.min, row.max);
    ASSERT_FALSE(read) << row.buckets << ' ' << row.sum;
    EXPECT_EQ(read.error(), row.why) << row.buckets << ' ' << row.sum;
  }
}

}  // namespace histogram_test

}  // namespace overlane::model
