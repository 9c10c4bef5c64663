#include "sim/fabric/racks.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace overlane::fabric {
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
