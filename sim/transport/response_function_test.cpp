#include <cmath>

#include <gtest/gtest.h>

#include "sim/transport/testing/lossy_flow.h"

namespace overlane::transport {
namespace response_function_test {

// Whole flows under loss, against what theory says of their mean window: the throughput times the
// round-trip time.

/// Mathis et al. 1997: a segment more in each round trip, half the window at each loss, √(3 / 2p)
/// on average. A cycle has W / 2 round trips, W = √(8 / 3p). The law leaves out that it takes up to
/// three more: one in which the loss is repaired, and two until acknowledgements of a whole window
/// have been counted again, as every other one is delayed.
TEST(ResponseFunction, NewRenoFollowsTheSquareRootLaw) {
  for (const int every : {300, 1'000, 5'000}) {
    const double window = mean_window({.control = CongestionControl::NewReno,
                                       .delay = milliseconds(50),
                                       .every = every,
                                       .segments = every * 100});
    const double expected = std::sqrt(1.5 * every);
    const double round_trips = std::sqrt(8.0 / 3 * every) / 2;
    EXPECT_LT(window, expected) << every;
    EXPECT_GT(window, expected * round_trips / (round_trips + 3)) << every;
  }
}

/// Where each segment is lost with the same probability the mean is a little larger: 1.3098 / √p
/// (Ott, Kemperman and Mathis 1996). A thousand losses leave a standard error of some 2 %, and
/// there are the round trips that the law leaves out.
TEST(ResponseFunction, NewRenoUnderRandomLoss) {
  const double window = mean_window({.control = CongestionControl::NewReno,
                                     .delay = milliseconds(50),
                                     .every = 1'000,
                                     .random = true,
                                     .segments = 1'000'000});
  const double expected = 1.3098 * std::sqrt(1'000);
  EXPECT_NEAR(window, expected, expected * 0.08);
}

/// Where Reno would be faster, CUBIC has Reno's mean window (RFC 9438, section 4.3): in a short
/// round trip a segment more is worth more than the curve.
TEST(ResponseFunction, CubicIsAsFastAsRenoOnShortPaths) {
  constexpr int kEvery = 1'000;
  const double window =
      mean_window({.delay = microseconds(500), .every = kEvery, .segments = kEvery * 200});
  const double expected = std::sqrt(1.5 * kEvery);
  EXPECT_NEAR(window, expected, expected * 0.08);
}

}  // namespace response_function_test
}  // namespace overlane::transport
