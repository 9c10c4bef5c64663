#include "scenarios/migration/inputs/neighbours.h"

#include <gtest/gtest.h>

#include "scenarios/migration/inputs/load.h"
#include "scenarios/runner/testing/scenario_files.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::migration {
namespace neighbours_test {

/// A shoot with four nodes in the VPC network "shared" of GCP.
std::string shoot(const std::string& name, const std::string& pods, const std::string& workers,
                  bool overlay) {
  std::string text =
      manifest::testing::ShootText{
          .provider = "gcp",
          .infrastructure =
              "{apiVersion: gcp.provider.extensions.gardener.cloud/v1alpha1, kind: "
              "InfrastructureConfig, networks: {vpc: {name: shared}, workers: " +
              workers + "}}",
          .workers = "[{name: a, machine: {type: n1}, minimum: 4, maximum: 8, zones: [zone-a]}]",
          .config = std::string("{overlay: {enabled: ") + (overlay ? "true}}" : "false}}"),
          .networking = "pods: " + pods + "\n    services: 100.64.0.0/13\n    nodes: " + workers,
          .kubernetes = "{version: 1.33.3}",
          .spec = "secretBindingName: team"}
          .yaml();
  text.replace(text.find("name: one"), 9, "name: " + name + ", uid: u-" + name);
  return text;
}

runner::Outcome<Loaded> switched(const std::string& one, const std::string& other, Target to,
                                 std::uint32_t quota = 100) {
  const runner::testing::Folder folder;
  derive::DeriveOptions derive;
  derive.landscape.route_quotas[provider::Provider::Gcp] = quota;
  return load({.paths = {folder.write("shoots.yaml", one + "---\n" + other)},
               .subject = {.derive = derive, .shoot = "garden-dev/one", .nodes = 4},
               .to = to});
}

const std::string kOneOverlay = shoot("one", "100.96.0.0/11", "10.250.0.0/19", true);

TEST(Neighbours, AnOverlapThatTheSwitchBringsAboutIsABlocker) {
  const auto other = shoot("other", "100.96.0.0/11", "10.251.0.0/19", false);
  const auto loaded = switched(kOneOverlay, other, Target::Routed);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->neighbours.shoots, 1u);
  ASSERT_EQ(loaded->neighbours.blockers.size(), 1u);
  EXPECT_NE(loaded->neighbours.blockers.front().find("overlap-routes-contested"),
            std::string::npos);
}

TEST(Neighbours, NeitherAnOverlayNorAnotherRangeIsABlocker) {
  for (const std::string& other : {shoot("other", "100.96.0.0/11", "10.251.0.0/19", true),
                                   shoot("other", "100.128.0.0/11", "10.251.0.0/19", false)}) {
    const auto loaded = switched(kOneOverlay, other, Target::Routed);
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(loaded->neighbours.blockers.empty());
  }
}

TEST(Neighbours, LeavingTheRoutesIsNoBlocker) {
  const auto one = shoot("one", "100.96.0.0/11", "10.250.0.0/19", false);
  const auto other = shoot("other", "100.96.0.0/11", "10.251.0.0/19", false);
  const auto loaded = switched(one, other, Target::Ipip);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->neighbours.blockers.empty());
}

TEST(Neighbours, TheirRoutesTakeTheirShareOfTheQuota) {
  const auto other = shoot("other", "100.128.0.0/11", "10.251.0.0/19", false);
  const auto loaded = switched(kOneOverlay, other, Target::Routed);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->neighbours.routes, 4u);
  const node::RouteTable& table = loaded->transition.from.fabric.route_tables.front();
  const auto alone = switched(kOneOverlay, "", Target::Routed);
  ASSERT_TRUE(alone);
  EXPECT_EQ(table.counted_others,
            alone->transition.from.fabric.route_tables.front().counted_others + 4);
}

}  // namespace neighbours_test
}  // namespace overlane::migration
