#include <cmath>

#include <gtest/gtest.h>

#include "dataplane/node/state/world.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace cubic_growth_test {

using namespace testing;

constexpr Picos kRoundTrip = milliseconds(100);
/// Amid the seventh round trip's packets: 640 of them, of which three or so are lost.
constexpr Picos kOutage = kRoundTrip * 7 + microseconds(400);
constexpr Picos kOutageTime = microseconds(4);

/// A whole flow over a long path, which loses a few packets once.
class LongFlow {
 public:
  explicit LongFlow(transport::CongestionControl control = transport::CongestionControl::Cubic)
      : network_(testing::network()), control_(control) {
    network_.paths.within_zone = kRoundTrip / 2;
    network_.paths.jitter = {};
    changes_ = {without_cloud_route(kOutage, 1), with_cloud_route(kOutage + kOutageTime, 1)};
  }

  /// Segments that arrive in the round trip of this number, the first after the handshake's being
  /// 1: they come at its middle.
  double window(std::int64_t number) const {
    TrafficGroup group = bulk();
    group.window_bytes = 1 << 28;
    group.congestion_control = control_;
    const Picos begin = kRoundTrip * number;
    const RunOptions options{
        .duration = begin + kRoundTrip, .warm_up = begin, .start_spread = {}, .changes = changes_};
    const model::TrafficResult result = measure(network_, {group}, options).traffic[0];
    if (begin > kOutage) {
      EXPECT_GT(result.drops.total(), 0);
      EXPECT_LT(result.drops.total(), 10);
    }
    constexpr double kMss = 1448;
    return static_cast<double>(result.goodput_bps) / 8 / 10 / kMss;
  }

 private:
  Network network_;
  transport::CongestionControl control_;
  std::vector<TimedChange> changes_;
};

/// RFC 9438, section 4.2: W(t) = C (t − K)³ + W_max. The window at the epoch's beginning gives
/// W_max, which is 1 / 0.7 of it, and K = ∛(0.3 W_max / C); then the windows of twelve seconds are
/// on the curve within 0.5 %: a window is a whole number of segments.
TEST(CubicGrowth, OfAWholeFlowIsTheCurveOfTheRfc) {
  const LongFlow flow;
  EXPECT_NEAR(flow.window(5), 2 * flow.window(4), 1) << "slow start";
  // Round trip 7 loses, the next learns of it and repairs it, and the one behind has the reduced
  // window.
  constexpr std::int64_t kEpoch = 9;
  const double reduced = flow.window(kEpoch);
  const double w_max = reduced / 0.7;
  const double k = std::cbrt(0.3 * w_max / 0.4);
  EXPECT_GT(k, 5) << "the curve is to be seen for a while before and behind its plateau";
  EXPECT_LT(k, 11);
  for (std::int64_t second = 1; second <= 12; ++second) {
    const double window = flow.window(kEpoch + second * 10);
    const double expected = 0.4 * std::pow(static_cast<double>(second) - k, 3) + w_max;
    EXPECT_NEAR(window, expected, expected * 0.005) << second << " s";
  }
}

/// RFC 5681, section 3.1: half the window after the loss, then one segment more per round trip.
TEST(RenoGrowth, OfAWholeFlowIsOneSegmentPerRoundTrip) {
  const LongFlow cubic;
  const LongFlow reno(transport::CongestionControl::NewReno);
  EXPECT_EQ(reno.window(5), cubic.window(5)) << "slow start";
  constexpr std::int64_t kAfterRecovery = 10;
  const double reduced = reno.window(kAfterRecovery);
  EXPECT_NEAR(reduced / cubic.window(kAfterRecovery), 0.5 / 0.7, 0.02);
  for (const std::int64_t round_trips : {20, 60, 120})
    EXPECT_NEAR(reno.window(kAfterRecovery + round_trips),
                reduced + static_cast<double>(round_trips), 2);
}

}  // namespace cubic_growth_test
}  // namespace overlane::run
