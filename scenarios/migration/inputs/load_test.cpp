#include "scenarios/migration/inputs/load.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scenarios/migration/testing/shoots.h"
#include "scenarios/runner/testing/scenario_files.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::migration {
namespace load_test {

/// The rule of the error that refuses the switch; empty if the switch is not refused.
std::string refused_by(const std::string& manifest, Target to) {
  const auto loaded =
      load({.paths = {runner::testing::manifest(manifest)}, .subject = {}, .to = to});
  return loaded ? "" : loaded.error().findings.front().rule;
}

TEST(LoadMigration, RefusesWhatIsNotSimulated) {
  EXPECT_EQ(refused_by("shoot-gcp-vxlan.yaml", Target::Routed), "unsupported-migration");
  EXPECT_EQ(refused_by("shoot-aws-cilium.yaml", Target::Ipip), "unsupported-migration");
  EXPECT_EQ(refused_by("shoot-aws-ebpf.yaml", Target::Ipip), "unsupported-migration");
}

std::vector<std::string> rules_of(const std::string& manifest, Target to) {
  const auto loaded =
      load({.paths = {runner::testing::manifest(manifest)}, .subject = {}, .to = to});
  std::vector<std::string> rules;
  if (!loaded)
    for (const Finding& finding : loaded.error().findings)
      rules.push_back(finding.rule);
  return rules;
}

TEST(LoadMigration, NamesKnownHazardsOfWhatItRefuses) {
  const std::string refusal = "unsupported-migration";
  const std::string hazard = "known-hazard";
  using Rules = std::vector<std::string>;
  EXPECT_EQ(rules_of("shoot-gcp-vxlan.yaml", Target::Routed), (Rules{refusal, hazard, hazard}));
  EXPECT_EQ(rules_of("shoot-aws.yaml", Target::Ebpf), (Rules{refusal, hazard, hazard, hazard}));
  EXPECT_EQ(rules_of("shoot-aws-ebpf.yaml", Target::KubeProxy), (Rules{refusal, hazard, hazard}));
  EXPECT_EQ(rules_of("shoot-aws-ipip.yaml", Target::DualStack), (Rules{refusal, hazard, hazard}));
  EXPECT_EQ(rules_of("shoot-aws-cilium.yaml", Target::Ipip), (Rules{refusal}));
}

TEST(LoadMigration, RefusesATargetThatTheShootHas) {
  EXPECT_EQ(refused_by("shoot-aws.yaml", Target::Routed), "no-switch");
  EXPECT_EQ(refused_by("shoot-aws-ipip.yaml", Target::Ipip), "no-switch");
  EXPECT_EQ(refused_by("shoot-aws-cilium.yaml", Target::Geneve), "no-switch");
}

TEST(LoadMigration, SwitchesRoutedPodsToDualStackAndBack) {
  EXPECT_EQ(refused_by("shoot-gcp.yaml", Target::DualStack), "");
  EXPECT_EQ(refused_by("shoot-aws.yaml", Target::DualStack), "");
  EXPECT_EQ(refused_by("shoot-gcp-dual-stack.yaml", Target::DualStack), "no-switch");
  EXPECT_EQ(refused_by("shoot-gcp-dual-stack.yaml", Target::SingleStack), "");
  EXPECT_EQ(refused_by("shoot-aws.yaml", Target::SingleStack), "no-switch");
  EXPECT_EQ(refused_by("shoot-aws-ipv6.yaml", Target::DualStack), "unsupported-migration");
}

TEST(LoadMigration, HazardsOfWhatIsSimulatedAreNoFindings) {
  const auto loaded = load(
      {.paths = {runner::testing::manifest("shoot-aws.yaml")}, .subject = {}, .to = Target::Vxlan});
  ASSERT_TRUE(loaded);
  EXPECT_EQ(std::ranges::count(loaded->findings, "known-hazard", &Finding::rule), 0)
      << "they are in the verdict";
}

std::string refusal(const std::string& manifest, Target to) {
  const auto loaded =
      load({.paths = {runner::testing::manifest(manifest)}, .subject = {}, .to = to});
  return loaded ? "" : loaded.error().findings.front().message;
}

TEST(LoadMigration, RefusalsSayWhatExists) {
  EXPECT_EQ(refusal("shoot-aws.yaml", Target::Geneve),
            "garden-dev/routed-aws: calico has no Geneve");
  EXPECT_EQ(refusal("shoot-aws-cilium.yaml", Target::Ipip),
            "garden-dev/cilium-aws: cilium has no IPIP");
  EXPECT_EQ(refusal("shoot-gcp-dual-stack.yaml", Target::Routed).substr(11),
            "dual-gcp: its pods are routed already");
}

/// The hint of a refusal.
std::string hint(const std::string& manifest, Target to) {
  const auto loaded =
      load({.paths = {runner::testing::manifest(manifest)}, .subject = {}, .to = to});
  return loaded ? "" : loaded.error().findings.front().hint;
}

TEST(LoadMigration, RefusalsRecommendOnlyWhatIsSimulated) {
  EXPECT_EQ(hint("shoot-aws.yaml", Target::Geneve), "--to ipip or vxlan or dual-stack");
  EXPECT_EQ(hint("shoot-aws-cilium.yaml", Target::Ipip), "--to routed or vxlan");
  EXPECT_EQ(hint("shoot-aws-ebpf.yaml", Target::Ipip), "no switch of this shoot is simulated");
  EXPECT_EQ(hint("shoot-gcp-dual-stack.yaml", Target::Ipip), "--to single-stack");
  for (const char* manifest : {"shoot-aws.yaml", "shoot-aws-cilium.yaml", "shoot-aws-ebpf.yaml",
                               "shoot-gcp-dual-stack.yaml", "shoot-gcp-vxlan.yaml"}) {
    const std::string recommended = hint(manifest, Target::KubeProxy) + ' ';
    for (const auto& [name, target] : kTargets)
      EXPECT_EQ(recommended.find(fmt::format(" {} ", name)) != std::string::npos,
                refused_by(manifest, target).empty())
          << manifest << " --to " << name << ": " << recommended;
  }
}

// An error on the command line is a usage error; an error in a file is an input error.
TEST(LoadMigration, WhatTheCommandLineSaysWrongIsAFaultOfUsage) {
  LoadRequest request{.paths = {runner::testing::manifest("shoot-aws-ipip.yaml")},
                      .subject = {},
                      .to = Target::Routed};
  const auto kind_of = [](const LoadRequest& one) { return load(one).error().kind; };
  LoadRequest other = request;
  other.strategies = {"none"};
  EXPECT_EQ(kind_of(other), runner::Failure::Kind::Usage);
  other = request;
  other.disturb = "none@2m";
  EXPECT_EQ(kind_of(other), runner::Failure::Kind::Usage);
  other = request;
  other.settings = {"none=1s"};
  EXPECT_EQ(kind_of(other), runner::Failure::Kind::Usage);
  request.to = Target::Ipip;
  EXPECT_EQ(kind_of(request), runner::Failure::Kind::Input) << "the shoot has it already";
}

TEST(LoadMigration, SettingsRecordWhatWasFoundOut) {
  LoadRequest request{.paths = {runner::testing::manifest("shoot-aws-ipip.yaml")},
                      .subject = {},
                      .to = Target::Routed,
                      .settings = {"aws.call=500ms", "bird.route-beyond-subnet=unreachable"}};
  const auto loaded = load(request);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->timing.aws_call, milliseconds(500));
  EXPECT_EQ(loaded->transition.beyond_subnet, BeyondSubnet::Unreachable);
  for (const auto& [setting, rule] : std::vector<std::pair<std::string, std::string>>{
           {"aws.call=soon", "bad-setting"},
           {"bird.route-beyond-subnet=maybe", "bad-setting"},
           {"fabric.passes-tunnel", "bad-setting"},
           {"fabric.writes-routes=maybe", "bad-setting"},
           {"aws.coll=1s", "unknown-parameter"}}) {
    request.settings = {setting};
    const auto refused = load(request);
    ASSERT_FALSE(refused) << setting;
    EXPECT_EQ(refused.error().findings.front().rule, rule) << setting;
  }
}

TEST(LoadMigration, SwitchesCiliumBetweenTunnelsAndRoutes) {
  EXPECT_EQ(refused_by("shoot-aws-cilium.yaml", Target::Routed), "");
  EXPECT_EQ(refused_by("shoot-aws-cilium.yaml", Target::Vxlan), "");
}

TEST(LoadMigration, KnowsWhatMayHappenInTheMiddle) {
  const auto disturbed = [](const std::string& manifest, Target to, const std::string& disturb) {
    const auto loaded = load({.paths = {runner::testing::manifest(manifest)},
                              .subject = {},
                              .to = to,
                              .disturb = disturb});
    return loaded ? "" : loaded.error().findings.front().rule;
  };
  EXPECT_EQ(disturbed("shoot-aws-ipip.yaml", Target::Routed, "rollback@90s"), "");
  EXPECT_EQ(disturbed("shoot-aws-ipip.yaml", Target::Routed, "hope@90s"), "unknown-disturbance");
  EXPECT_EQ(disturbed("shoot-aws-cilium.yaml", Target::Routed, "rollback@90s"), "");
}

TEST(LoadMigration, FindsTheRoutesThatAreMissingAndThoseThatNobodyNeeds) {
  const Loaded to_routed = testing::aws_shoot(Target::Routed, 4);
  EXPECT_EQ(missing_routes(to_routed.transition).size(), 8u) << "of four nodes in two tables";
  EXPECT_TRUE(unneeded_routes(to_routed.transition).empty());
  const Loaded to_overlay = testing::aws_shoot(Target::Ipip, 4);
  EXPECT_TRUE(missing_routes(to_overlay.transition).empty());
  EXPECT_EQ(unneeded_routes(to_overlay.transition).size(), 8u);
}

}  // namespace load_test
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
