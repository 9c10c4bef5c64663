#include <cmath>

#include <gtest/gtest.h>

#include "sim/transport/testing/lossy_flow.h"

namespace overlane::transport {
namespace response_function_test {

// Mean windows (throughput times round-trip time) of whole flows under loss, compared with theory.

/// Mathis et al. 1997: one more segment per round trip and half the window per loss give a mean of
/// √(3 / 2p). A cycle has W / 2 round trips, W = √(8 / 3p). The law omits up to three more round
/// trips: one to repair the loss, and two until the acknowledgements of a whole window are counted,
/// since every other one is delayed.
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

/// With independent random losses the mean is 1.3098 / √p (Ott, Kemperman and Mathis 1996). A
/// thousand losses give a standard error of about 2 %, plus the round trips that the law omits.
TEST(ResponseFunction, NewRenoUnderRandomLoss) {
  const double window = mean_window({.control = CongestionControl::NewReno,
                                     .delay = milliseconds(50),
                                     .every = 1'000,
                                     .random = true,
                                     .segments = 1'000'000});
  const double expected = 1.3098 * std::sqrt(1'000);
  EXPECT_NEAR(window, expected, expected * 0.08);
}

/// If Reno's window would be larger, CUBIC uses Reno's (RFC 9438, section 4.3): on short round
/// trips, one segment per round trip grows faster than the curve.
TEST(ResponseFunction, CubicIsAsFastAsRenoOnShortPaths) {
  constexpr int kEvery = 1'000;
  const double window =
      mean_window({.delay = microseconds(500), .every = kEvery, .segments = kEvery * 200});
  const double expected = std::sqrt(1.5 * kEvery);
  EXPECT_NEAR(window, expected, expected * 0.08);
}

}  // namespace response_function_test
}  // namespace overlane::transport
