#include "sim/transport/congestion_window.h"

#include <cmath>
#include <functional>
#include <utility>

#include <gtest/gtest.h>

namespace overlane::transport {

namespace cubic_test {

constexpr std::uint32_t kMss = 1448;
constexpr double kC = 0.4;
constexpr double kBeta = 0.7;

/// A sender that always fills its window on a path of constant round-trip time. The segments of a
/// window are acknowledged one by one, evenly over the round trip.
class Sender {
 public:
  explicit Sender(Picos rtt) : rtt_(rtt) {}

  CongestionWindow window{CongestionControl::Cubic, kMss};

  double segments() const { return static_cast<double>(window.bytes()) / kMss; }
  Picos now() const { return now_; }
  void acknowledge() {
    now_ += rtt_ * kMss / window.bytes();
    window.acknowledge(
        {.bytes = kMss, .rtt = rtt_, .smoothed_rtt = rtt_, .mss = kMss, .limited = true}, now_);
  }
  void run_for(Picos duration) {
    for (const Picos end = now_ + duration; now_ < end;)
      acknowledge();
  }
  void grow_to(std::int64_t segments) { window.set(segments * kMss); }
  void lose() {
    window.congestion(kMss);
    window.set(window.threshold());
  }

 private:
  Picos rtt_;
  Picos now_ = seconds(10);
};

TEST(CubeRoot, IsTheLargestIntegerWhoseCubeIsNotLarger) {
  for (const std::uint32_t root : {0u, 1u, 2u, 9u, 1'000'003u, 4'294'967'295u}) {
    const WideInteger cube = WideInteger{root} * root * root;
    EXPECT_EQ(cube_root(cube), root);
    EXPECT_EQ(cube_root(cube + 1), root == 0 ? 1 : root);
    EXPECT_EQ(cube_root(cube + 3 * WideInteger{root} * root), root);
  }
}

TEST(Cubic, SlowStartAddsAcknowledgedBytesUpToTheThreshold) {
  Sender sender(milliseconds(10));
  for (int i = 0; i < 10; ++i)
    sender.acknowledge();
  EXPECT_EQ(sender.window.bytes(), 20 * kMss) << "RFC 5681: one segment per segment";
  sender.lose();
  EXPECT_EQ(sender.window.bytes(), 14 * kMss) << "β = 0.7";
}

struct CurveCase {
  Picos rtt;
  std::int64_t plateau;  ///< Segments at the loss.
};

class FollowsTheCurve : public testing::TestWithParam<CurveCase> {};

/// Growth aims at W_cubic one round trip ahead and reaches it in one round trip.
TEST_P(FollowsTheCurve, WithinASegment) {
  const auto [rtt, plateau] = GetParam();
  Sender sender(rtt);
  sender.grow_to(plateau);
  sender.lose();
  const Picos start = sender.now();
  const auto top = static_cast<double>(plateau);
  const double k = std::cbrt(top * (1 - kBeta) / kC);
  while (sender.now() - start < seconds(20)) {
    sender.run_for(milliseconds(500));
    const double t = static_cast<double>((sender.now() - start).count) / 1e12;
    EXPECT_NEAR(sender.segments(), kC * std::pow(t - k, 3) + top, 1) << "after " << t << " s";
  }
}

// Windows and round-trip times large enough for CUBIC to be faster than Reno throughout.
INSTANTIATE_TEST_SUITE_P(Cubic, FollowsTheCurve,
                         testing::Values(CurveCase{milliseconds(100), 1'000},
                                         CurveCase{milliseconds(50), 2'000},
                                         CurveCase{milliseconds(100), 5'000}));

TEST(Cubic, IsAsFastAsRenoOnAShortPath) {
  Sender sender(milliseconds(1));
  sender.grow_to(100);
  sender.lose();
  // Section 4.3: 9/17 of a segment per round trip up to the previous 100, then one.
  sender.run_for(milliseconds(30));
  EXPECT_NEAR(sender.segments(), 70 + 30 * 9.0 / 17, 1);
  sender.run_for(milliseconds(27));
  EXPECT_NEAR(sender.segments(), 100, 1);
  sender.run_for(milliseconds(20));
  EXPECT_NEAR(sender.segments(), 120, 1.5);
}

TEST(Cubic, LossBelowThePlateauReleasesBandwidth) {
  Cubic cubic;
  cubic.congestion(1'000'000);
  EXPECT_EQ(cubic.plateau(), 1'000'000);
  cubic.congestion(900'000);
  EXPECT_EQ(cubic.plateau(), 900'000 * 17 / 20) << "section 4.7: (1 + β)/2 of it";
  cubic.congestion(800'000);
  EXPECT_EQ(cubic.plateau(), 800'000) << "above the last plateau again";
}

TEST(Cubic, TimeoutRestartsWithOneSegmentAtThePlateau) {
  Sender sender(milliseconds(100));
  sender.grow_to(1'000);
  sender.window.timeout(0, 0, kMss, true, sender.now());
  EXPECT_EQ(sender.window.bytes(), kMss);
  EXPECT_EQ(sender.window.threshold(), 700 * kMss) << "sections 4.6 and 4.8";
  while (sender.window.in_slow_start())
    sender.acknowledge();
  const Picos start = sender.now();
  sender.run_for(seconds(5));
  const double t = static_cast<double>((sender.now() - start).count) / 1e12;
  EXPECT_NEAR(sender.segments(), 700 + kC * std::pow(t, 3), 2) << "K = 0, W_max = cwnd";
}

TEST(Cubic, ClockStopsWhileTheApplicationIsSlow) {
  Sender busy(milliseconds(100));
  Sender slow(milliseconds(100));
  for (Sender* sender : {&busy, &slow}) {
    sender->grow_to(1'000);
    sender->lose();
    sender->run_for(seconds(2));
  }
  const std::int64_t before = slow.window.bytes();
  for (Picos at = slow.now(); at < slow.now() + seconds(60); at += seconds(1))
    slow.window.acknowledge({.bytes = kMss, .smoothed_rtt = milliseconds(100), .mss = kMss}, at);
  EXPECT_EQ(slow.window.bytes(), before) << "does not grow";
  busy.run_for(seconds(5));
  slow.run_for(seconds(5));
  EXPECT_NEAR(busy.segments(), slow.segments(), 2);
}

TEST(CongestionWindow, IsHalvedPerIdleTimeoutDownToTenSegments) {
  struct Case {
    Picos idle;
    int segments;
  };
  for (const Case& row : {Case{milliseconds(200), 100}, Case{milliseconds(201), 50},
                          Case{milliseconds(401), 25}, Case{seconds(60), 10}}) {
    CongestionWindow window(CongestionControl::Cubic, kMss);
    window.set(100 * kMss);
    window.congestion(kMss);
    window.set(100 * kMss);
    window.restart(row.idle, milliseconds(200), kMss);
    EXPECT_EQ(window.bytes() / kMss, row.segments) << row.idle.count;
    EXPECT_EQ(window.threshold(), 75 * kMss);
  }
}

// HyStart. A window of 20 segments on a path of 100 ms, unless a test says otherwise.

constexpr std::int64_t kWindow = 20;

/// Acknowledges one segment every `gap` with the round-trip time that `rtt` gives for each. Returns
/// how many acknowledgements end slow start, or 0 if 1,000 do not.
int acknowledgements_until_end(HyStart& hystart, std::int64_t window, Picos gap,
                               const std::function<Picos(int)>& rtt) {
  constexpr std::int64_t kBehindTheRound = 10'000'000;
  Picos now = seconds(1);
  for (int i = 1; i <= 1'000; ++i, now += gap) {
    const Acknowledgement acknowledgement{.bytes = kMss,
                                          .next_expected = i * std::int64_t{kMss},
                                          .sent = kBehindTheRound,
                                          .rtt = rtt(i),
                                          .smoothed_rtt = milliseconds(100),
                                          .mss = kMss};
    if (hystart.ends_slow_start(acknowledgement, window * kMss, now)) return i;
  }
  return 0;
}

Picos constant_rtt(int) {
  return milliseconds(100);
}

TEST(HyStart, ATrainOfHalfTheRoundTripEndsSlowStart) {
  HyStart hystart;
  // Half of 100 ms and of the slack, at most 1 ms, in steps of 1 ms.
  EXPECT_EQ(acknowledgements_until_end(hystart, kWindow, milliseconds(1), &constant_rtt), 52);
}

TEST(HyStart, GapsOfMoreThanTwoMillisecondsAreNoTrain) {
  HyStart hystart;
  const Picos gap = milliseconds(2) + microseconds(1);
  EXPECT_EQ(acknowledgements_until_end(hystart, kWindow, gap, &constant_rtt), 0);
}

TEST(HyStart, SmallWindowsAreNotWatched) {
  HyStart hystart;
  EXPECT_EQ(acknowledgements_until_end(hystart, 15, milliseconds(1), &constant_rtt), 0);
}

TEST(HyStart, AQueueingDelayOfAnEighthEndsSlowStart) {
  for (const auto& [rtt, tolerated] :
       {std::pair(milliseconds(10), milliseconds(4)), std::pair(milliseconds(64), milliseconds(8)),
        std::pair(milliseconds(400), milliseconds(16))}) {
    for (const Picos more : {Picos{}, microseconds(1)}) {
      HyStart hystart;
      const auto queue = [rtt = rtt, delay = tolerated + more](int i) {
        return i == 1 ? rtt : rtt + delay;
      };
      // The first acknowledgement has the minimum, and belongs to the round before the delay.
      Acknowledgement first{.bytes = kMss,
                            .next_expected = kMss,
                            .sent = 2 * kMss,
                            .rtt = rtt,
                            .smoothed_rtt = rtt,
                            .mss = kMss};
      EXPECT_FALSE(hystart.ends_slow_start(first, kWindow * kMss, Picos{}));
      const int ends = acknowledgements_until_end(hystart, kWindow, milliseconds(3),
                                                  [&](int i) { return queue(i + 2); });
      // Eight samples, and one more, of the round that begins with the third segment.
      EXPECT_EQ(ends, more == Picos{} ? 0 : 2 + 9) << rtt.count;
    }
  }
}

TEST(HyStart, WatchesOneSlowStartUnlessATimeoutBeginsAnother) {
  HyStart hystart;
  EXPECT_GT(acknowledgements_until_end(hystart, kWindow, milliseconds(1), &constant_rtt), 0);
  EXPECT_EQ(acknowledgements_until_end(hystart, kWindow, milliseconds(1), &constant_rtt), 0);
  hystart.restart(0, seconds(1));
  EXPECT_GT(acknowledgements_until_end(hystart, kWindow, milliseconds(1), &constant_rtt), 0);
}

TEST(CongestionWindow, HyStartBelongsToCubic) {
  for (const bool cubic : {false, true}) {
    CongestionWindow window(cubic ? CongestionControl::Cubic : CongestionControl::NewReno, kMss);
    window.set(kWindow * kMss);
    for (int i = 1; i <= 60; ++i)
      window.acknowledge({.bytes = kMss,
                          .next_expected = i * std::int64_t{kMss},
                          .sent = 1'000 * kMss,
                          .rtt = milliseconds(100),
                          .smoothed_rtt = milliseconds(100),
                          .mss = kMss,
                          .limited = true},
                         milliseconds(i));
    EXPECT_EQ(window.in_slow_start(), !cubic);
  }
}

}  // namespace cubic_test

}  // namespace overlane::transport
