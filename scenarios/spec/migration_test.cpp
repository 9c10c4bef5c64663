#include "scenarios/spec/migration.h"

#include <gtest/gtest.h>

#include "scenarios/spec/scenario.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::spec {
namespace migration_test {

document::Tree tree(const std::string& kind, const std::string& spec) {
  return document::parse("apiVersion: overlane.dev/v1alpha1\nkind: " + kind +
                             "\nmetadata: {name: one}\nspec: " + spec + "\n",
                         "one.yaml")
      .documents.at(0);
}

/// The rule and the message of the error for a MigrationStrategy with these steps.
std::string refused(const std::string& steps) {
  const auto decoded =
      decode_migration_strategy(tree("MigrationStrategy", "{steps: [" + steps + "]}"));
  if (decoded) return "";
  const Finding& finding = decoded.error().front();
  return finding.rule + ": " + finding.message;
}

TEST(MigrationStrategy, IsAnOrderOfSteps) {
  const auto decoded =
      decode_migration_strategy(tree("MigrationStrategy",
                                     "{summary: all, steps: [protect-node-conditions, "
                                     "create-routes, change-shoot, wait-for-routes, delete-pods], "
                                     "maxUnavailable: 5}"));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->name, "one");
  EXPECT_EQ(decoded->steps.size(), 5u);
  EXPECT_EQ(decoded->max_unavailable, 5u);
}

TEST(MigrationStrategy, NamesStepsThatContradictOthers) {
  EXPECT_EQ(
      refused("change-shoot, create-routes"),
      "contradictory-steps: one: step 2, create-routes: after change-shoot the route controller "
      "creates the routes");
  EXPECT_EQ(
      refused("delete-pods, change-shoot"),
      "contradictory-steps: one: step 1, delete-pods: before change-shoot the DaemonSet makes the "
      "same pods again");
  EXPECT_EQ(refused("change-shoot, delete-pods, wait-for-routes"),
            "contradictory-steps: one: step 3, wait-for-routes: after delete-pods the network has "
            "changed already");
  EXPECT_EQ(refused("change-shoot, protect-node-conditions"),
            "contradictory-steps: one: step 2, protect-node-conditions: after change-shoot "
            "calico-node may have marked nodes already");
  EXPECT_EQ(refused("change-shoot, change-shoot"),
            "contradictory-steps: one: step 2, change-shoot: it is there twice");
  EXPECT_EQ(refused("create-routes"),
            "contradictory-steps: one: without change-shoot nothing is switched");
  EXPECT_EQ(refused("pray"), "bad-value: one: \"pray\" is no step");
}

TEST(MigrationOfScenario, NamesTargetStrategiesAndDurations) {
  const auto scenario = decode_scenario(
      tree("Scenario",
           "{manifests: [a.yaml], migration: {to: routed, strategies: [today, mine.yaml], timing: "
           "{aws.call: 500ms}, runs: 3, maxOutage: 5s}}"));
  ASSERT_TRUE(scenario);
  const Migration& migration = scenario->migration.value();
  EXPECT_EQ(migration.to.text, "routed");
  ASSERT_EQ(migration.strategies.size(), 2u);
  EXPECT_EQ(migration.strategies[1].text, "mine.yaml");
  ASSERT_EQ(migration.timing.size(), 1u);
  EXPECT_EQ(migration.timing[0].parameter.text, "aws.call");
  EXPECT_EQ(migration.timing[0].value, milliseconds(500));
  EXPECT_EQ(migration.runs, 3u);
  EXPECT_EQ(migration.max_outage, seconds(5));
}

TEST(MigrationOfScenario, HasNoTrafficBeside) {
  const auto scenario = decode_scenario(
      tree("Scenario",
           "{manifests: [a.yaml], migration: {to: routed}, traffic: [{name: a, kind: tcp}]}"));
  ASSERT_FALSE(scenario);
  EXPECT_EQ(scenario.error().front().rule, "not-in-a-migration");
}

TEST(MigrationOfScenario, HasNoEventsToLeaveOut) {
  const auto scenario = decode_scenario(
      tree("Scenario", "{manifests: [a.yaml], migration: {to: routed}, fast: true}"));
  ASSERT_FALSE(scenario);
  EXPECT_EQ(scenario.error().front().rule, "not-in-a-migration");
  EXPECT_EQ(scenario.error().front().hint, "remove fast");
}

}  // namespace migration_test
}  // namespace overlane::spec
