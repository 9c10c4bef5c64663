#include "sim/run/app/datagram_turns.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "sim/run/testing/small_network.h"

namespace overlane::run {

namespace datagram_times_test {

using namespace testing;

/// 1,000 bytes at 80 Mbit/s: one in 100 µs.
TrafficGroup group() {
  return datagrams(80'000'000, 1'000);
}
constexpr Picos kGap = microseconds(100);

TEST(Pacing, IsExactAfterAnyNumberOfDatagrams) {
  // Three datagrams of 1,000 bytes per second at 24,000 bit/s: a third of a second is not a whole
  // number of picoseconds.
  const Pace pace(Bytes{1000}, {24'000});
  PacedTime time;
  time.advance(pace);
  EXPECT_EQ(time.offset(), picoseconds(333'333'333'333));
  for (int number = 1; number < 300'000; ++number)
    time.advance(pace);
  EXPECT_EQ(time.offset(), seconds(100'000));
}

std::vector<Picos> times(const TrafficGroup& group, int count) {
  const DatagramTimes source(group);
  RandomStream random(1, StreamUse::Arrivals, 0);
  DatagramTimes::State state = source.begin({}, random);
  std::vector<Picos> list;
  for (int i = 0; i < count; ++i)
    list.push_back(source.next(state, random));
  return list;
}

Distribution always(Picos time) {
  return Distribution::fixed(time.count);
}

TEST(DatagramTimes, ConstantOnesAreLateByAtMostTenMicroseconds) {
  const auto list = times(group(), 1'000);
  for (int i = 0; i < 1'000; ++i) {
    const Picos late = list[static_cast<std::size_t>(i)] - kGap * (i + 1);
    EXPECT_GE(late, Picos{});
    EXPECT_LT(late, microseconds(10));
  }
}

TEST(DatagramTimes, PoissonGapsAreExponentialAndIndependent) {
  TrafficGroup poisson = group();
  poisson.arrivals = Arrivals::Poisson;
  constexpr int kCount = 100'000;
  const auto list = times(poisson, kCount);
  // For a Poisson process, counts in windows of ten gaps have mean and variance 10.
  std::vector<double> counts(kCount / 10 + kCount);
  double gap_squares = 0;
  Picos before;
  for (const Picos at : list) {
    ASSERT_GE(at, before);
    const double gap = static_cast<double>((at - before).count) / static_cast<double>(kGap.count);
    gap_squares += gap * gap;
    before = at;
    counts[static_cast<std::size_t>(at.count / (kGap.count * 10))] += 1;
  }
  EXPECT_NEAR(static_cast<double>(before.count), static_cast<double>(kGap.count) * kCount,
              5 * static_cast<double>(kGap.count) * std::sqrt(kCount));
  // E[gap²] = 2, its variance 4! − 2² = 20.
  EXPECT_NEAR(gap_squares / kCount, 2, 5 * std::sqrt(20.0 / kCount));
  const auto windows = static_cast<std::size_t>(before.count / (kGap.count * 10));
  double squares = 0;
  for (std::size_t i = 0; i < windows; ++i)
    squares += (counts[i] - 10) * (counts[i] - 10);
  // The squares' mean is 10, and their variance 10 + 2·10².
  const auto n = static_cast<double>(windows);
  EXPECT_NEAR(squares / n, 10, 5 * std::sqrt(210 / n));
}

TEST(DatagramTimes, ASilentSourceGoesOnWhereItStopped) {
  TrafficGroup bursts = group();
  bursts.on = always(kGap * 4);
  bursts.off = always(milliseconds(1));
  const auto list = times(bursts, 12);
  // The first burst is 0 … 3 gaps; 1 ms of silence; the next begins at 4 gaps and 1 ms; …
  for (int i = 1; i <= 12; ++i) {
    const Picos due = kGap * i + milliseconds(1) * (i / 4);
    const Picos late = list[static_cast<std::size_t>(i - 1)] - due;
    EXPECT_GE(late, Picos{}) << i;
    EXPECT_LT(late, microseconds(10)) << i;
  }
}

TEST(DatagramTimes, ExponentialBurstsKeepTheMeanRate) {
  TrafficGroup bursts = group();
  bursts.on = Distribution::exponential((kGap * 5).count);
  bursts.off = Distribution::exponential((kGap * 15).count);
  constexpr int kCount = 200'000;
  const auto list = times(bursts, kCount);
  // A quarter of the time: four gaps a datagram. The silences make for nearly all of the deviation:
  // per cycle of 5 datagrams 15 gaps, and 3 · 5 of the bursts' own.
  const double mean =
      static_cast<double>(list.back().count) / kCount / static_cast<double>(kGap.count);
  const double deviation = std::sqrt((15.0 * 15 + 15.0 * 15) * kCount / 5) / kCount;
  EXPECT_NEAR(mean, 4, 5 * deviation);
}

TEST(DatagramTimes, RunsWithPoissonArrivalsAreThoseOfTheirSeed) {
  TrafficGroup poisson = group();
  poisson.arrivals = Arrivals::Poisson;
  const auto sent = [&](std::uint64_t seed) {
    const RunOptions options{.duration = milliseconds(100), .seed = seed};
    return measure(network(), {poisson}, options).traffic[0].packets.sent;
  };
  EXPECT_EQ(sent(1), sent(1));
  // 1,000 ± 5 standard deviations, and not always the same.
  EXPECT_PRED3(near, sent(1), 1'000, 160);
  EXPECT_NE(sent(1), sent(2));
}

}  // namespace datagram_times_test

namespace {

TEST(SendingTurns, LastAsLongAsTheSchedulersTimeSlice) {
  EXPECT_EQ(SendingTurns::time_slice(1), microseconds(700));
  EXPECT_EQ(SendingTurns::time_slice(2), microseconds(1400));
  EXPECT_EQ(SendingTurns::time_slice(4), microseconds(2100));
  EXPECT_EQ(SendingTurns::time_slice(64), SendingTurns::time_slice(8));
}

TEST(SendingTurns, ALoneStreamHasAllOfThem) {
  SendingTurns turns(2);
  for (Picos now; now < milliseconds(10); now += microseconds(100))
    EXPECT_TRUE(turns.take(0, 7, now));
}

TEST(SendingTurns, WaitingStreamsFollowEachOther) {
  SendingTurns turns(2);
  const Picos slice = SendingTurns::time_slice(2);
  ASSERT_TRUE(turns.take(0, 1, {}));
  EXPECT_FALSE(turns.take(0, 2, {}));
  EXPECT_FALSE(turns.take(0, 3, microseconds(1)));
  EXPECT_TRUE(turns.take(1, 4, {})) << "another core has its own turns";
  EXPECT_TRUE(turns.take(0, 1, slice + Picos{-1}));
  EXPECT_EQ(turns.ends(0, microseconds(1)), slice);
  EXPECT_FALSE(turns.take(0, 1, slice)) << "it goes to the end of the queue";
  EXPECT_FALSE(turns.take(0, 3, slice));
  EXPECT_TRUE(turns.take(0, 2, slice));
  EXPECT_TRUE(turns.take(0, 3, slice * 2));
  EXPECT_TRUE(turns.take(0, 1, slice * 3));
}

TEST(SendingTurns, WhoWaitsForItsPeerHandsOver) {
  SendingTurns turns(2);
  ASSERT_TRUE(turns.take(0, 1, {}));
  EXPECT_EQ(turns.give_up(0, 1, microseconds(3)), kNone) << "no other stream waits for this core";
  ASSERT_TRUE(turns.take(0, 1, microseconds(4)));
  ASSERT_FALSE(turns.take(0, 2, microseconds(5)));
  EXPECT_EQ(turns.give_up(0, 2, microseconds(6)), kNone) << "it is not its turn";
  EXPECT_EQ(turns.give_up(0, 1, microseconds(6)), 2u);
  EXPECT_TRUE(turns.take(0, 2, microseconds(6)));
}

TEST(SendingTurns, DoNotWaitForOneThatHasEnded) {
  SendingTurns turns(1);
  const Picos slice = SendingTurns::time_slice(1);
  ASSERT_TRUE(turns.take(0, 1, {}));
  ASSERT_FALSE(turns.take(0, 2, {}));
  ASSERT_FALSE(turns.take(0, 3, {}));
  EXPECT_FALSE(turns.take(0, 3, slice));
  EXPECT_TRUE(turns.take(0, 3, slice * 2));
}

}  // namespace

}  // namespace overlane::run
