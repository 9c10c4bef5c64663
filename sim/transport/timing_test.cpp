#include <gtest/gtest.h>

#include "sim/transport/retransmission_timeout.h"
#include "sim/transport/timer_wheel.h"

namespace overlane::transport {
namespace timing_test {

TEST(RetransmissionTimeout, FollowsRfc6298WithinLinuxBounds) {
  RetransmissionTimeout timeout;
  EXPECT_EQ(timeout.timeout(), seconds(1));
  timeout.sample(milliseconds(100));
  EXPECT_EQ(timeout.timeout(), milliseconds(300)) << "SRTT 100, RTTVAR 50";
  timeout.sample(milliseconds(180));
  EXPECT_EQ(timeout.smoothed(), milliseconds(110));
  EXPECT_EQ(timeout.timeout(), milliseconds(110 + 4 * 57) + microseconds(4 * 500));
  for (int i = 0; i < 100; ++i)
    timeout.sample(microseconds(50));
  EXPECT_EQ(timeout.timeout(), timeout.smoothed() + milliseconds(200))
      << "the least share of the deviation";
  EXPECT_LT(timeout.smoothed(), microseconds(51));
  for (int i = 0; i < 20; ++i)
    timeout.back_off({});
  EXPECT_EQ(timeout.timeout(), seconds(120)) << "the most";
}

/// A kernel with HZ=250 whose first tick ends after 1 ms.
constexpr TimerWheel kTimers{kTick, milliseconds(1)};

TEST(TimerWheel, FiresWithTheTickBehindTheRoundedDelay) {
  // At 10 ms the third tick has ended, at 9 ms; the next ones end at 13, 17 and 21 ms.
  EXPECT_EQ(kTimers.expiry(milliseconds(10), Picos{}), milliseconds(13));
  EXPECT_EQ(kTimers.expiry(milliseconds(10), picoseconds(1)), milliseconds(17));
  EXPECT_EQ(kTimers.expiry(milliseconds(10), milliseconds(2)), milliseconds(17));
  EXPECT_EQ(kTimers.expiry(milliseconds(10), milliseconds(4)), milliseconds(17));
  EXPECT_EQ(kTimers.expiry(milliseconds(10), milliseconds(5)), milliseconds(21));
  EXPECT_EQ(kTimers.expiry(milliseconds(9), milliseconds(2)), milliseconds(17));
  EXPECT_EQ(kTimers.expiry(milliseconds(9) - picoseconds(1), milliseconds(2)), milliseconds(13));
  EXPECT_EQ(kTimers.expiry(Picos{}, milliseconds(2)), milliseconds(5));
  EXPECT_EQ(TimerWheel{}.expiry(milliseconds(10), milliseconds(2)), milliseconds(12)) << "exact";
}

TEST(TimerWheel, NeverFiresEarlyNorLaterThanItsLevelAllows) {
  for (const std::int64_t ticks : {0, 1, 7, 100, 512}) {
    const TimerWheel timers{kTick, kTick * ticks - milliseconds(ticks == 0 ? 0 : 1)};
    for (const Picos now : {Picos{}, milliseconds(7), seconds(3) + microseconds(1)}) {
      for (std::int64_t ms = 0; ms < 129'000; ms += 1 + ms / 50) {
        const Picos late = timers.expiry(now, milliseconds(ms)) - (now + milliseconds(ms));
        EXPECT_GE(late, Picos{}) << ms;
        EXPECT_LE(late, timers.longest(milliseconds(ms)) - milliseconds(ms)) << ms;
        // Steps of 1, 8, 64 and 512 ticks up to 63, 504, 4,032 and 32,256 ticks, and the rounding
        // of the delay and of the time at which it begins.
        const std::int64_t step = ms <= 252 ? 1 : ms <= 2'016 ? 8 : ms <= 16'128 ? 64 : 512;
        EXPECT_LE(late, kTick * (step + 1) + milliseconds(4)) << ms;
      }
    }
  }
}

TEST(TimerWheel, ALongTimerFiresAtAMultipleOfEightTicksThatThePhaseMoves) {
  // 400 ms are 100 ticks; set at the end of tick 0, they end with tick 104, which is 8 · 13.
  for (std::int64_t ticks = 0; ticks < 16; ++ticks) {
    const TimerWheel timers{kTick, kTick * ticks};
    const Picos fires = timers.expiry(Picos{}, milliseconds(400));
    EXPECT_EQ((fires - timers.phase + kTick).count % (kTick * 8).count, 0) << ticks;
    EXPECT_EQ(timers.expiry(timers.phase, milliseconds(400)), timers.phase + kTick * 103) << ticks;
  }
}

TEST(TimerWheel, ATimeoutDoublesInTicks) {
  RetransmissionTimeout timeout;
  timeout.sample(milliseconds(100));
  timeout.sample(milliseconds(99));
  EXPECT_EQ(timeout.timeout(), milliseconds(99) + microseconds(875) + milliseconds(200));
  timeout.back_off(kTimers);
  EXPECT_EQ(timeout.timeout(), milliseconds(600));
}

}  // namespace timing_test
}  // namespace overlane::transport
