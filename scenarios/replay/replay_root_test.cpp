#include <atomic>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/namespaces/process.h"
#include "results/base/testing/measured_on_time.h"
#include "scenarios/migration/testing/shoots.h"
#include "scenarios/replay/comparison.h"
#include "scenarios/replay/replay.h"

namespace overlane::replay {
namespace replay_root_test {

using migration::Loaded;
using migration::Target;

/// Durations that keep a replay of a few nodes short.
migration::Timing short_times() {
  return {.reconcile_start = seconds(1),
          .control_plane = seconds(1),
          .network = seconds(1),
          .next_reconcile = seconds(1),
          .route_controller_start = milliseconds(1500),
          .aws_tick = seconds(1),
          .aws_call = milliseconds(200),
          .bird_reload = seconds(1),
          .bgp_connect = seconds(1),
          .graceful_restart = seconds(2),
          .pod_replacement = seconds(1),
          .pod_init = milliseconds(500),
          .agent_start = milliseconds(500),
          .pod_ready = milliseconds(500),
          .felix_pools = milliseconds(200),
          .nameserver_rules = seconds(1)};
}

ReplayPlan plan_of(Loaded loaded) {
  loaded.timing = short_times();
  auto plan = plan_replay(std::move(loaded), *migration::find_strategy("today"), 1);
  EXPECT_TRUE(plan) << plan.error();
  return *std::move(plan);
}

/// Lines of the pairs that differ from the prediction; empty if at most 5 % do.
std::string differences(const ReplayPlan& plan, bool has_bird = false) {
  const std::atomic<bool> stop{false};
  const auto kernel = kernel_for(plan);
  EXPECT_TRUE(kernel) << kernel.error();
  const auto observation = replay(plan, *kernel, {.has_bird = has_bird, .stop = &stop});
  EXPECT_TRUE(observation) << observation.error();
  const Comparison comparison = compare(plan.predicted, *observation);
  const std::size_t nodes = plan.loaded.transition.nodes();
  const std::size_t pairs = nodes * (nodes - 1);
  EXPECT_EQ(comparison.pairs.size(), 5 * pairs + 2 * (nodes - 1)) << "two nodes have DNS pods";
  EXPECT_EQ(comparison.connections.size(), 3 * pairs) << "half of the pairs have two, all two more";
  if (comparison.agrees()) return "";
  std::string text;
  for (const ComparedPair& pair : comparison.pairs)
    if (!pair.agrees())
      text += fmt::format(
          "{} {} to {}: predicted {} (longest {}{}), observed {} (longest {}{})\n",
          to_string(pair.traffic), pair.from, pair.to, migration::outage_text(pair.predicted.total),
          migration::outage_text(pair.predicted.longest), pair.predicted.lasts ? ", lasts" : "",
          migration::outage_text(pair.observed.total),
          migration::outage_text(pair.observed.longest), pair.observed.lasts ? ", lasts" : "");
  for (const ComparedConnection& one : comparison.connections)
    if (!one.agrees())
      text += fmt::format("{} connection, {}, {} to {}: waited {}, {}{}\n",
                          to_string(one.observed.traffic), to_string(one.observed.use),
                          one.observed.client, one.observed.server,
                          migration::outage_text(one.observed.longest_wait), one.observed.failure,
                          one.is_predicted_to_end ? ", should end" : "");
  return text;
}

TEST(Replay, OfASwitchToRoutedPodsHasThePredictedInterruptions) {
  const ReplayPlan plan = plan_of(migration::testing::aws_shoot(Target::Routed, 3));
  EXPECT_GE(plan.predicted.outages.size(), 3u);
  EXPECT_GE(plan.predicted.pod_to_node.size(), 3u);
  EXPECT_EQ(measured_on_time([&] { return differences(plan); }, ""), "");
}

TEST(Replay, HasTheSameInterruptionsIfBirdWritesTheRoutes) {
  if (!kernel::run_program({"bird", "--version"}, "")) GTEST_SKIP() << "BIRD is not installed";
  const ReplayPlan plan = plan_of(migration::testing::aws_shoot(Target::Routed, 3));
  ASSERT_EQ(obstacle_to_bird(plan), "");
  EXPECT_EQ(measured_on_time([&] { return differences(plan, true); }, ""), "");
}

TEST(Replay, LetsBirdWriteNoRoutesThatNeedATunnel) {
  EXPECT_THAT(obstacle_to_bird(plan_of(migration::testing::aws_shoot(Target::Vxlan, 2))),
              ::testing::HasSubstr("writes no routes without a tunnel"));
  Loaded loaded = migration::testing::aws_shoot(Target::Routed, 3);
  loaded.disturbance = {migration::Disturbance::Kind::Rollback, seconds(5)};
  EXPECT_THAT(obstacle_to_bird(plan_of(std::move(loaded))), ::testing::HasSubstr("rollback"));
}

TEST(Replay, OfASwitchToVxlanHasNoInterruption) {
  const ReplayPlan plan = plan_of(migration::testing::aws_shoot(Target::Vxlan, 3));
  EXPECT_TRUE(plan.predicted.outages.empty());
  EXPECT_EQ(measured_on_time([&] { return differences(plan); }, ""), "");
}

TEST(Replay, IsRefusedIfNodesJoin) {
  Loaded loaded = migration::testing::aws_shoot(Target::Routed, 3);
  loaded.disturbance = {migration::Disturbance::Kind::ScaleUp, seconds(100)};
  const auto plan = plan_replay(std::move(loaded), *migration::find_strategy("today"), 1);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error(), "nodes join or leave during the switch");
}

TEST(Replay, EndsWhenItIsStopped) {
  const std::atomic<bool> stop{true};
  const ReplayPlan plan = plan_of(migration::testing::aws_shoot(Target::Vxlan, 2));
  const auto kernel = kernel_for(plan);
  ASSERT_TRUE(kernel) << kernel.error();
  const auto observation = replay(plan, *kernel, {.stop = &stop});
  ASSERT_FALSE(observation);
  EXPECT_EQ(observation.error(), "stopped");
}

}  // namespace replay_root_test
}  // namespace overlane::replay
