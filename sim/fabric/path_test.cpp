#include "sim/fabric/path.h"

#include <algorithm>
#include <cmath>
#include <set>

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

namespace racks_test {

/// One instance per letter of `zones`; the letter is its zone.
node::FabricState instances(const std::string& zones) {
  node::FabricState fabric;
  for (const char zone : zones) {
    const std::string name(1, zone);
    auto subnet = std::ranges::find(fabric.subnets, name, &node::Subnet::zone);
    if (subnet == fabric.subnets.end()) {
      fabric.subnets.push_back({.zone = name});
      subnet = fabric.subnets.end() - 1;
    }
    fabric.instances.push_back(
        {.subnet = static_cast<std::uint32_t>(subnet - fabric.subnets.begin())});
  }
  return fabric;
}

FlowKey flow(std::uint16_t port) {
  return {IpAddress::parse("10.0.0.1").value(), IpAddress::parse("10.0.0.2").value(), port, 80, 6};
}

TEST(RackPlan, FillsRacksInOrderZoneByZone) {
  struct Row {
    std::string zones;
    std::uint32_t nodes_per_rack;
    std::string racks;  ///< One digit per instance.
  };
  for (const Row& row : {Row{"aaaaa", 2, "00112"}, Row{"ababab", 2, "020213"},
                         Row{"aabb", 32, "0011"}, Row{"abc", 1, "012"}, Row{"a", 1, "0"}}) {
    const RackPlan plan({.nodes_per_rack = row.nodes_per_rack}, instances(row.zones), 1);
    std::string racks;
    for (std::uint32_t i = 0; i < row.zones.size(); ++i)
      racks += static_cast<char>('0' + plan.rack_of(i));
    EXPECT_EQ(racks, row.racks) << row.zones;
    EXPECT_EQ(static_cast<char>('0' + plan.count() - 1), std::ranges::max(racks)) << row.zones;
  }
}

TEST(RackPlan, SpreadsFlowsEvenlyOverItsSpines) {
  constexpr std::uint32_t kFlows = 60'000;
  for (const std::uint32_t spines : {1u, 3u, 8u, 256u}) {
    const RackPlan plan({.spines = spines}, instances("a"), 1);
    std::vector<std::uint32_t> flows(spines);
    for (std::uint32_t port = 0; port < kFlows; ++port)
      ++flows.at(plan.spine(0, flow(static_cast<std::uint16_t>(port))));
    // Five standard deviations of a binomial distribution.
    const double mean = static_cast<double>(kFlows) / spines;
    for (const std::uint32_t count : flows)
      EXPECT_NEAR(count, mean, 5 * std::sqrt(mean)) << spines;
  }
}

/// Otherwise two flows that share a link behind one leaf would share one behind every leaf
/// (polarisation).
TEST(RackPlan, EachLeafAndSeedHashesDifferently) {
  const RackPlan plan({.spines = 2}, instances("aa"), 1);
  const RackPlan other({.spines = 2}, instances("aa"), 2);
  std::set<std::vector<bool>> seen;
  for (std::uint16_t port = 0; port < 64; ++port) {
    const bool here = plan.spine(0, flow(port)) != 0;
    seen.insert({here, plan.spine(1, flow(port)) != 0, other.spine(0, flow(port)) != 0});
    EXPECT_EQ(RackPlan(plan).spine(0, flow(port)) != 0, here);
  }
  EXPECT_EQ(seen.size(), 8u);
}

}  // namespace racks_test

}  // namespace overlane::fabric
