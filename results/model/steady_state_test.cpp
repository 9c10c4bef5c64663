#include <functional>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "results/model/series.h"

namespace overlane::model {
namespace steady_state_test {

constexpr Picos kDuration = milliseconds(100);  // One millisecond per batch.

std::vector<std::int64_t> batches(const std::function<std::int64_t(std::int64_t)>& at) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(kSteadyStateBatches); ++i)
    all.push_back(at(i));
  return all;
}

/// Pseudo-random, −500…499.
std::int64_t noise(std::int64_t i) {
  return i * 7919 % 1000 * 631 % 1000 - 500;
}

struct Case {
  std::string name;
  std::function<std::int64_t(std::int64_t)> at;
  std::size_t first;  ///< First batch of the window.
  std::optional<SteadyState> found;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class SteadyStates : public ::testing::TestWithParam<Case> {};

TEST_P(SteadyStates, DetectsStartDriftAndBias) {
  const Case& c = GetParam();
  const auto found = find_steady_state(batches(c.at), c.first, kDuration);
  ASSERT_EQ(found.has_value(), c.found.has_value());
  if (!found) return;
  EXPECT_EQ(found->reached, c.found->reached);
  EXPECT_EQ(found->from, c.found->from);
  EXPECT_EQ(found->drift_ppm, c.found->drift_ppm);
  EXPECT_EQ(found->bias_ppm, c.found->bias_ppm);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SteadyStates,
    ::testing::Values(
        Case{"the same all the time", [](auto) { return 1000; }, 10, SteadyState{.reached = true}},
        Case{"a ramp that the warm-up covers", [](auto i) { return i < 8 ? i * 1000 : 8000; }, 10,
             SteadyState{.reached = true, .from = milliseconds(8)}},
        // 20 of 90 batches have half the value: 80/90 − 1, rounded down.
        Case{"half as much for 20 batches of the window",
             [](auto i) { return i < 30 ? 4000 : 8000; }, 10,
             SteadyState{.reached = true, .from = milliseconds(30), .bias_ppm = -111'112}},
        Case{"a burst at the beginning", [](auto i) { return i < 15 ? 16'000 : 8000; }, 10,
             SteadyState{.reached = true, .from = milliseconds(15), .bias_ppm = 55'555}},
        // The mean is 6450, those of the thirds 3450 and 9450.
        Case{"growth to the end", [](auto i) { return 1000 + 100 * i; }, 10,
             SteadyState{.reached = false, .from = milliseconds(10), .drift_ppm = 930'233}},
        Case{"the same, downwards", [](auto i) { return 11'000 - 100 * i; }, 10,
             SteadyState{.reached = false, .from = milliseconds(10), .drift_ppm = -1'081'081}},
        Case{"a drift that nobody needs to know", [](auto i) { return 100'000 + i * 10; }, 0,
             std::nullopt},
        Case{"too little to tell", [](auto i) { return i % 3 == 0 ? 5 : 0; }, 10, std::nullopt},
        Case{"a window too short to tell", [](auto) { return 1000; }, 95, std::nullopt},
        Case{"largest numbers", [](auto i) { return (i < 30 ? 1 : 2) * 4'000'000'000'000'000; }, 10,
             SteadyState{.reached = true, .from = milliseconds(30), .bias_ppm = -111'112}}));

TEST(SteadyState, NoiseIsNotATrend) {
  const auto found =
      find_steady_state(batches([](std::int64_t i) { return 10'000 + noise(i); }), 10, kDuration);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->reached);
  EXPECT_EQ(found->bias_ppm, 0);
  EXPECT_LT(found->drift_ppm, kWorstDriftPpm);
}

TEST(SteadyState, WarmUpOfTheSuggestedLengthLeavesNoBias) {
  const auto ramp = batches([](std::int64_t i) { return std::min<std::int64_t>(i, 30) * 1000; });
  const auto before = find_steady_state(ramp, 10, kDuration);
  ASSERT_TRUE(before);
  EXPECT_LT(before->bias_ppm, -kWorstBiasPpm);
  const auto first = static_cast<std::size_t>(before->from.count / milliseconds(1).count);
  const auto after = find_steady_state(ramp, first, kDuration);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->bias_ppm, 0);
  EXPECT_EQ(after->from, before->from);
}

}  // namespace steady_state_test
}  // namespace overlane::model
