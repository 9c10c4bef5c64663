#include "sim/fabric/limits.h"

#include <gtest/gtest.h>

namespace overlane::fabric {

namespace token_bucket_test {

TEST(TokenBucket, LetsABurstPassAndThenTheMeanRate) {
  TokenBucket bucket(microseconds(3));
  // Four packets of 1 µs each: the first, and three that the burst allows.
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(bucket.take({}, microseconds(1)), Picos{});
  EXPECT_EQ(bucket.take({}, microseconds(1)), microseconds(1));
  EXPECT_EQ(bucket.take({}, microseconds(1)), microseconds(2));
}

TEST(TokenBucket, FillsUpAgainButNotBeyondItsBurst) {
  TokenBucket bucket(microseconds(1));
  bucket.take({}, microseconds(2));
  const Picos later = milliseconds(1);
  EXPECT_EQ(bucket.take(later, microseconds(1)), later);
  EXPECT_EQ(bucket.take(later, microseconds(1)), later);
  EXPECT_EQ(bucket.take(later, microseconds(1)), later + microseconds(1));
}

TEST(TokenBucket, KeepsTheOrderOfSmallAndLargePackets) {
  TokenBucket bucket;
  EXPECT_EQ(bucket.take({}, microseconds(10)), Picos{});
  EXPECT_EQ(bucket.take({}, nanoseconds(1)), microseconds(10));
  EXPECT_EQ(bucket.take(microseconds(1), nanoseconds(1)), microseconds(10) + nanoseconds(1));
}

TEST(TokenBucket, CountsFromMeasuredFrom) {
  TokenBucket bucket({}, microseconds(5));
  bucket.take({}, microseconds(5));
  bucket.take({}, microseconds(7));
  EXPECT_EQ(bucket.used(), microseconds(7));
}

TEST(TokenBucket, CountsHowLongPacketsWereHeldBackOnceTheBurstIsSpent) {
  TokenBucket bucket(microseconds(10), microseconds(3));
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(bucket.take(microseconds(1), microseconds(2)), microseconds(1));
  EXPECT_EQ(bucket.held_back(), Picos{}) << "the burst lets five pass";
  EXPECT_EQ(bucket.take(microseconds(1), microseconds(4)), microseconds(1));
  EXPECT_EQ(bucket.take(microseconds(2), microseconds(4)), microseconds(5));
  EXPECT_EQ(bucket.held_back(), microseconds(2)) << "of the three that it waits, two are measured";
  EXPECT_EQ(bucket.take(microseconds(4), microseconds(1)), microseconds(9));
  EXPECT_EQ(bucket.held_back(), microseconds(6)) << "it cannot leave before the one in front";
}

}  // namespace token_bucket_test

}  // namespace overlane::fabric
