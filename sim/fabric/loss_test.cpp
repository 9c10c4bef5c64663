#include "sim/fabric/loss.h"

#include <cmath>

#include <gtest/gtest.h>

namespace overlane::fabric {
namespace loss_test {

constexpr int kPackets = 400'000;

struct Counted {
  int lost = 0;
  int bursts = 0;
};

Counted count(const Loss& loss, bool within = true) {
  LossProcess process(loss, 1);
  Counted counted;
  bool before = false;
  for (int i = 0; i < kPackets; ++i) {
    const bool lost = process.loses_next(0, within);
    counted.lost += lost;
    counted.bursts += lost && !before;
    before = lost;
  }
  return counted;
}

struct Row {
  double ratio;
  double mean_burst;  ///< 0: independent losses.
};

class LossTable : public testing::TestWithParam<Row> {};

/// Burst lengths are geometric: for a mean of m, the variance of the loss ratio is about 2m − 1
/// times that of independent losses. Tolerance: five standard errors.
TEST_P(LossTable, LossRatioAndBurstLengthMatchTheConfiguration) {
  const auto [ratio, burst] = GetParam();
  const Counted counted = count({.within_zone = static_cast<std::uint32_t>(ratio * 1e9),
                                 .mean_burst = static_cast<std::uint32_t>(burst * 1e3)});
  const double expected_burst = burst > 0 ? burst : 1 / (1 - ratio);
  const double error = std::sqrt(ratio * (1 - ratio) * (2 * expected_burst - 1) / kPackets);
  EXPECT_NEAR(1.0 * counted.lost / kPackets, ratio, 5 * error);
  const double length_error =
      std::sqrt(expected_burst * (expected_burst - 1) / std::max(counted.bursts, 1));
  EXPECT_NEAR(1.0 * counted.lost / counted.bursts, expected_burst, 5 * length_error + 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Table, LossTable,
                         testing::Values(Row{0.001, 0}, Row{0.1, 0}, Row{0.9, 0}, Row{0.01, 1},
                                         Row{0.01, 4}, Row{0.5, 1}, Row{0.2, 10.5}, Row{0.9, 9}));

TEST(Loss, RatioMayBeOneOrZero) {
  EXPECT_EQ(count({.within_zone = Loss::kAll}).lost, kPackets);
  EXPECT_EQ(count({.within_zone = Loss::kAll}, false).lost, 0);
  EXPECT_EQ(count({.across_zones = Loss::kAll}, false).lost, kPackets);
  EXPECT_FALSE(LossProcess({}, 1).any());
}

TEST(Loss, AtLeastOnePacketPassesBetweenBursts) {
  EXPECT_EQ(most_loss(1'000), Loss::kAll / 2);
  EXPECT_EQ(most_loss(9'000), Loss::kAll / 10 * 9);
}

TEST(Loss, LossesOfASenderDoNotDependOnOthers) {
  const Loss loss{.within_zone = Loss::kAll / 3, .mean_burst = 2'000};
  LossProcess alone(loss, 7);
  LossProcess together(loss, 7);
  int differ = 0;
  for (int i = 0; i < 1'000; ++i) {
    const bool lost = alone.loses_next(0, true);
    differ += lost != together.loses_next(1, true);
    ASSERT_EQ(lost, together.loses_next(0, true)) << i;
  }
  EXPECT_GT(differ, 300);
}

}  // namespace loss_test
}  // namespace overlane::fabric
