#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "scenarios/migration/actors/components.h"
#include "scenarios/migration/mixed_nodes.h"
#include "scenarios/migration/simulate.h"
#include "scenarios/migration/testing/shoots.h"
#include "topologies/kernel_trace/reach.h"
#include "topologies/path/reach/reachability.h"

namespace overlane::migration {
namespace on_kernels_root_test {

constexpr std::uint16_t kBytes = 100;
constexpr kernel::Place kPlace = kernel::Place::UserModeLinux;

/// Whether user-mode Linux is available, with IPIP.
bool has_place() {
  const auto answer = kernel::ask(kPlace, {.probe = true}, {KERNEL_NODE});
  if (!answer) return false;
  return std::ranges::any_of(answer->abilities, [](const kernel::Ability& ability) {
    return ability.name == "ipip" && ability.missing.empty();
  });
}

testbed::Journey journey(const node::World& world, std::vector<testbed::Trip> trips) {
  compile::Compiled states;
  states.nodes = world.nodes;
  states.fabric = world.fabric;
  return {std::move(states), std::move(trips)};
}

testbed::Trip trip(const node::World& world, std::uint32_t from, std::uint32_t to) {
  return {from, to, world.nodes[from].pods.front().address, world.nodes[to].pods.front().address,
          kBytes};
}

TEST(OnKernels, LinuxTreatsNodesOfBothModesAsThePageSays) {
  if (!has_place()) GTEST_SKIP() << "there is no user-mode Linux with IPIP";
  const Loaded loaded = testing::aws_shoot(Target::Routed, 3);
  const std::vector<MixedCase> cases = mixed_cases();
  std::vector<testbed::Journey> journeys;
  std::vector<bool> delivered;
  for (const MixedCase& mixed : cases) {
    const MixedWorld at = mixed_world(loaded.transition, mixed);
    journeys.push_back(journey(at.world, {trip(at.world, at.from, at.to)}));
    delivered.push_back(path::Reachability(at.world).outcome(at.from, at.to).delivered());
  }
  const auto reached = testbed::reach_all(journeys, kPlace, {KERNEL_NODE});
  ASSERT_TRUE(reached) << reached.error();
  std::size_t arrived = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const testbed::TripOutcome& verdict = (*reached)[i].verdicts.front();
    const auto route = static_cast<std::size_t>(cases[i].route);
    EXPECT_EQ(verdict.kernel, delivered[i])
        << kOldRoutes[route].first << (cases[i].to_new ? ", to the new node" : ", to the old node")
        << ", tunl0 " << cases[i].new_has_tunnel << ", cloud route " << cases[i].has_cloud_route
        << ", rp_filter " << int{cases[i].rp_filter} << ": " << verdict.ended;
    arrived += verdict.kernel;
  }
  EXPECT_GT(arrived, cases.size() / 4);
  EXPECT_LT(arrived, cases.size() * 3 / 4);
}

/// The states of a switch after each action, and the reachability in each state.
struct Recorded {
  std::vector<Picos> times;
  std::vector<testbed::Journey> journeys;
};

Recorded record(const Transition& transition, const Strategy& strategy, const Timing& timing) {
  Recorded recorded;
  node::World world = world_at_start(transition, strategy);
  node::WorldEditor editor(world);
  Components components(transition, strategy, timing, 1);
  const auto take = [&](Picos at) {
    std::vector<testbed::Trip> trips;
    for (std::uint32_t from = 0; from < transition.nodes(); ++from)
      for (std::uint32_t to = 0; to < transition.nodes(); ++to)
        if (from != to) trips.push_back(trip(world, from, to));
    recorded.times.push_back(at);
    recorded.journeys.push_back(journey(world, std::move(trips)));
  };
  take({});
  while (const std::optional<Picos> now = components.next()) {
    components.act(editor, *now);
    if (editor.take().any()) take(*now);
  }
  return recorded;
}

using Pair = std::pair<std::uint32_t, std::uint32_t>;
using Intervals = std::map<Pair, std::vector<std::pair<Picos, std::optional<Picos>>>>;

/// The outages that follow from the probes between the kernels.
Intervals outages_of(const Recorded& recorded, const std::vector<testbed::Reach>& reached) {
  Intervals intervals;
  std::map<Pair, Picos> open;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const testbed::TripOutcome& verdict : reached[i].verdicts) {
      const Pair pair{verdict.trip.from_node, verdict.trip.to_node};
      const auto began = open.find(pair);
      if (!verdict.kernel && began == open.end()) open[pair] = recorded.times[i];
      if (verdict.kernel && began != open.end()) {
        intervals[pair].emplace_back(began->second, recorded.times[i]);
        open.erase(began);
      }
    }
  for (const auto& [pair, begin] : open)
    intervals[pair].emplace_back(begin, std::nullopt);
  return intervals;
}

void expect_the_same_outages(const Loaded& loaded, const Timing& timing, bool interrupts) {
  const Strategy& today = *find_strategy("today");
  const SwitchResult course = simulate(loaded.transition, today, timing, 1);
  Intervals simulated;
  for (const Outage& outage : course.outages)
    simulated[{outage.from, outage.to}].emplace_back(outage.begin, outage.end);
  const Recorded recorded = record(loaded.transition, today, timing);
  const auto reached = testbed::reach_all(recorded.journeys, kPlace, {KERNEL_NODE});
  ASSERT_TRUE(reached) << reached.error();
  EXPECT_GE(reached->size(), 8u) << "states";
  EXPECT_EQ(outages_of(recorded, *reached), simulated);
  EXPECT_EQ(simulated.empty(), !interrupts);
}

TEST(OnKernels, ASwitchToRoutedPodsHasTheSimulatedOutages) {
  if (!has_place()) GTEST_SKIP() << "there is no user-mode Linux with IPIP";
  Loaded loaded = testing::aws_shoot(Target::Routed, 4);
  loaded.transition.beyond_subnet = BeyondSubnet::Unreachable;
  expect_the_same_outages(loaded, {.aws_call = seconds(2)}, true);
}

TEST(OnKernels, ASwitchToIpipHasTheSimulatedOutages) {
  if (!has_place()) GTEST_SKIP() << "there is no user-mode Linux with IPIP";
  expect_the_same_outages(testing::aws_shoot(Target::Ipip, 4), {}, false);
}

TEST(OnKernels, ASwitchToIpipOfNodesThatWroteRoutesHasTheSimulatedOutages) {
  if (!has_place()) GTEST_SKIP() << "there is no user-mode Linux with IPIP";
  expect_the_same_outages(testing::shoot_on("aws", Target::Ipip, 4, {}, "calico",
                                            "{enabled: false, createPodRoutes: true}"),
                          {}, true);
}

}  // namespace on_kernels_root_test
}  // namespace overlane::migration
