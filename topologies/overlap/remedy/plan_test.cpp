#include "topologies/overlap/remedy/plan.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/remedy/conflicts.h"
#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {
namespace plan_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::LocatedShoots;
using testing::ShootText;
using ::testing::UnorderedElementsAre;

std::vector<PlanStep> plan_of(const LocatedShoots& located) {
  return plan(located, {});
}

std::vector<std::string> names_of(const std::vector<PlanStep>& steps) {
  std::vector<std::string> names;
  for (const PlanStep& step : steps)
    names.push_back(step.name.substr(step.name.find('/') + 1));
  return names;
}

/// A shoot in one GCP network with all others, in a subnet of its own.
ShootText shared_shoot(const std::string& name, const std::string& pods, int subnet,
                       int minimum = 3) {
  const std::string nodes = fmt::format("10.{}.{}.0/24", 200 + subnet / 256, subnet % 256);
  return {.name = name,
          .networks = "vpc: {name: shared}, workers: " + nodes,
          .pods = pods,
          .nodes = nodes,
          .credentials = "main",
          .minimum = minimum,
          .maximum = minimum};
}

TEST(Plan, OfAPathOfThreeIsTheMiddleOne) {
  const LocatedShoots located(
      testing::texts({shared_shoot("a", "10.0.0.0/17", 0), shared_shoot("b", "10.0.0.0/16", 1),
                      shared_shoot("c", "10.0.128.0/17", 2)}));
  const auto steps = plan_of(located);
  ASSERT_THAT(names_of(steps), ElementsAre("b"));
  EXPECT_TRUE(steps[0].exact);
  EXPECT_TRUE(steps[0].created);
  EXPECT_EQ(steps[0].conflicts, 2u);
  EXPECT_THAT(steps[0].because, ElementsAre("garden-dev/a", "garden-dev/c"));
  ASSERT_EQ(steps[0].changes.size(), 1u);
  EXPECT_EQ(steps[0].changes[0].role, Role::Pods);
  EXPECT_EQ(steps[0].changes[0].to, testing::prefix("100.72.0.0/16"));
}

TEST(Plan, KeepsTheOneWithMostNodes) {
  const LocatedShoots located(testing::texts({shared_shoot("a", "10.0.0.0/16", 0, 2),
                                              shared_shoot("b", "10.0.0.0/16", 1, 9),
                                              shared_shoot("c", "10.0.0.0/16", 2, 4)}));
  EXPECT_THAT(names_of(plan_of(located)), UnorderedElementsAre("a", "c"));
}

TEST(Plan, CountsTheNodesThatAreThere) {
  std::string nodes;
  for (int i = 0; i < 4; ++i)
    nodes += testing::node(fmt::format("shoot--dev--a-w-{}", i), i, fmt::format("10.200.0.{}", i),
                           fmt::format("10.0.{}.0/24", i));
  const LocatedShoots located(testing::texts(
      {shared_shoot("a", "10.0.0.0/16", 0, 1), shared_shoot("b", "10.0.0.0/16", 1, 3)}, nodes));
  const auto steps = plan_of(located);
  EXPECT_THAT(names_of(steps), ElementsAre("b"));
  EXPECT_EQ(steps[0].nodes, 3);
}

TEST(Plan, CountsAnOwnerOfSeveralRangesOnce) {
  ShootText a = shared_shoot("a", "10.0.0.0/17", 0, 1);
  a.networks = "vpc: {name: shared}, workers: 10.1.0.0/24";
  a.nodes = "10.1.0.0/24";
  const LocatedShoots located(testing::texts({a, shared_shoot("b", "10.0.0.0/15", 1)}));
  const auto steps = plan_of(located);
  ASSERT_THAT(names_of(steps), ElementsAre("a"));
  EXPECT_EQ(steps[0].changes.size(), 2u);
  EXPECT_EQ(steps[0].conflicts, 1u);
  EXPECT_THAT(steps[0].because, ElementsAre("garden-dev/b"));
}

TEST(Plan, ChangesManifestsBeforeRunningShoots) {
  ShootText wanted = shared_shoot("wanted", "10.0.0.0/16", 0);
  wanted.live = false;
  ShootText other = shared_shoot("other", "10.0.0.0/17", 1);
  other.live = false;
  const LocatedShoots located(
      testing::texts({wanted, other, shared_shoot("running", "10.0.0.0/18", 2, 1)}));
  const auto steps = plan_of(located);
  EXPECT_THAT(names_of(steps), UnorderedElementsAre("other", "wanted"));
  EXPECT_FALSE(steps[0].created);
}

TEST(Plan, NamesShootsInConflictWithImmutableRanges) {
  const LocatedShoots located(testing::texts(
      {shared_shoot("a", "10.0.0.0/16", 0), shared_shoot("b", "10.1.0.0/16", 1)},
      testing::routing_domains("connections: [{name: hub, kind: vpn, networks: "
                               "[{shoot: garden-dev/a}], ranges: [{cidr: 10.0.0.0/15, "
                               "purpose: data centre}]}]")));
  const auto steps = plan_of(located);
  EXPECT_THAT(names_of(steps), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(steps[0].because, ElementsAre("data centre 10.0.0.0/15"));
}

std::vector<IpPrefix> new_pods(const std::vector<PlanStep>& steps) {
  std::vector<IpPrefix> pods;
  for (const PlanStep& step : steps)
    pods.push_back(step.changes.at(0).to.value());
  return pods;
}

/// Two pairs of shoots with the usual pods, of which there are few.
TEST(Plan, ReusesRangesInUnconnectedNetworks) {
  std::vector<ShootText> shoots;
  for (int i = 0; i < 4; ++i) {
    ShootText shoot = shared_shoot(std::string(1, static_cast<char>('a' + i)), "100.96.0.0/11", i);
    shoot.networks.replace(shoot.networks.find("shared"), 6, i < 2 ? "first" : "second");
    shoots.push_back(shoot);
  }
  const std::string connection = testing::routing_domains(
      "connections: [{name: hub, kind: peering, networks: [{shoot: garden-dev/a}, {shoot: "
      "garden-dev/c}]}]");
  EXPECT_THAT(new_pods(plan_of(LocatedShoots(testing::texts(shoots)))),
              ElementsAre(testing::prefix("10.0.0.0/11"), testing::prefix("10.0.0.0/11")));
  EXPECT_THAT(new_pods(plan_of(LocatedShoots(testing::texts(shoots, connection)))),
              ElementsAre(testing::prefix("10.0.0.0/11"), testing::prefix("10.32.0.0/11")));
}

/// Of 12 shoots with the usual pods eight can have pods as large.
TEST(Plan, ProposesSmallerPodsWhereNoneAsLargeAreFree) {
  std::vector<ShootText> shoots;
  for (int i = 0; i < 12; ++i)
    shoots.push_back(shared_shoot(fmt::format("s{:02}", i), "100.96.0.0/11", i));
  shoots[10].maximum = 1000;
  const auto pods = new_pods(plan_of(LocatedShoots(testing::texts(shoots))));
  ASSERT_EQ(pods.size(), 11u);
  EXPECT_EQ(pods[6].length(), 11);
  EXPECT_EQ(pods[7], testing::prefix("100.76.0.0/16"));
  EXPECT_EQ(pods[10].length(), 14) << "1,000 nodes";
}

TEST(Plan, IsEmptyWithoutConflicts) {
  const LocatedShoots located(
      testing::texts({shared_shoot("a", "10.0.0.0/16", 0), shared_shoot("b", "10.1.0.0/16", 1)}));
  EXPECT_THAT(plan_of(located), IsEmpty());
}

/// Whether conflicts are left when all shoots but these stay.
bool suffices(const LocatedShoots& located, const std::vector<PlanStep>& steps,
              const PlanStep* without) {
  std::vector<bool> stays(located.inventory.shoots.size(), true);
  for (const PlanStep& step : steps)
    stays[step.shoot] = &step == without;
  const Conflicts left = find_conflicts(located, stays, {});
  return left.pairs.empty() && left.alone.empty();
}

TEST(Plan, BeyondTwentyShootsNoneCanBeLeftOut) {
  std::vector<ShootText> shoots;
  for (int i = 0; i < 30; ++i)  // Nested and beside each other: 10.0.0.0/16 … /20.
    shoots.push_back(shared_shoot(
        fmt::format("s{}", i),
        fmt::format("10.0.{}.0/{}", i % 5 == 0 ? 0 : (i * 37 % 16) * 16, i % 5 == 0 ? 16 : 20), i,
        1 + i % 4));
  const LocatedShoots located(testing::texts(shoots));
  const auto steps = plan_of(located);
  ASSERT_FALSE(steps.empty());
  EXPECT_FALSE(steps[0].exact);
  EXPECT_TRUE(suffices(located, steps, nullptr));
  for (const PlanStep& step : steps)
    EXPECT_FALSE(suffices(located, steps, &step)) << step.name;
}

TEST(Plan, ResolvesMoreConflictsThanCanBeListed) {
  std::vector<ShootText> shoots;
  for (int i = 0; i < 700; ++i)  // 244,650 pairs.
    shoots.push_back(shared_shoot(fmt::format("s{}", i), "10.0.0.0/16", i));
  const LocatedShoots located(testing::texts(shoots));
  const auto steps = plan_of(located);
  EXPECT_EQ(steps.size(), 699u);
  EXPECT_TRUE(suffices(located, steps, nullptr));
  EXPECT_FALSE(suffices(located, steps, &steps.front()));
}

}  // namespace plan_test
}  // namespace overlane::overlap
