#include "topologies/effective/cloud_routes.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "topologies/compile/compile.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/graph/topology.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"
#include "topologies/path/question.h"

namespace overlane::witness {
namespace cloud_routes_test {

using derive::StageChoice;
using effective::CloudRoutes;
using effective::RouteGap;

/// Every provider, stage, network type and the settings that decide about routes.
std::vector<manifest::testing::ShootText> shoots() {
  constexpr const char* kProviders[] = {"aws",   "gcp",   "azure",   "openstack", "alicloud",
                                        "metal", "local", "stackit", "hcloud",    "equinix"};
  constexpr const char* kCalico[] = {
      "{backend: none}",
      "{backend: bird}",
      "{overlay: {enabled: true}}",
      "{overlay: {enabled: false}}",
      "{overlay: {enabled: false, createPodRoutes: true}}",
      "{overlay: {enabled: true, createPodRoutes: true}}",
      "{overlay: {enabled: false}, backend: bird}",
      "{overlay: {enabled: false, createPodRoutes: true}, backend: bird}",
      "{backend: bird, ipv4: {mode: Never}}",
      "{backend: none, wireguardEncryption: true}",
      "{overlay: {enabled: false}, wireguardEncryption: true}",
  };
  constexpr const char* kCilium[] = {
      "{tunnel: disabled}",
      "{tunnel: vxlan}",
      "{overlay: {enabled: true}}",
      "{overlay: {enabled: false}}",
      "{overlay: {enabled: false, createPodRoutes: true}}",
  };
  constexpr const char* kHcloudNetwork =
      "{networks: {workersConfiguration: {cidr: 10.250.0.0/19}}}";
  /// Where the nodes and pods are, and what the control plane has stored.
  struct Place {
    const char* zones;
    const char* ranges;
    const char* control_plane;
  };
  constexpr const char* kShared = "pods: 100.96.0.0/11\n    nodes: 10.250.0.0/16";
  constexpr const char* kPrivate = "pods: 10.96.0.0/11\n    nodes: 10.250.0.0/16";
  constexpr Place kPlaces[] = {
      {"a", kShared, ""},
      {"a, b", kShared, ""},
      {"a", kPrivate, ""},
      {"a, b", kPrivate, "{cloudControllerManager: {useCustomRouteController: false}}"},
      {"a", kShared, "{cloudControllerManager: {useCustomRouteController: false}}"},
      {"a", "pods: 10.250.16.0/20\n    nodes: 10.250.0.0/20", ""},
      {"a, b", kShared, "{cloudControllerManager: {name: openstack}}"},
  };
  std::vector<manifest::testing::ShootText> list;
  for (const char* provider : kProviders) {
    const auto add = [&](const char* type, const std::string& config) {
      for (const Place& place : kPlaces) {
        manifest::testing::ShootText text{
            .provider = provider,
            .workers =
                std::string("[{name: w, minimum: 2, maximum: 3, zones: [") + place.zones + "]}]",
            .type = type,
            .config = config,
            .networking = std::string(place.ranges) + "\n    services: 100.64.0.0/13"};
        if (provider == std::string("hcloud")) text.infrastructure = kHcloudNetwork;
        if (*place.control_plane != 0) {
          text.infrastructure = text.infrastructure.empty() ? "{}" : text.infrastructure;
          text.infrastructure += std::string("\n    controlPlaneConfig: ") + place.control_plane;
        }
        list.push_back(std::move(text));
      }
    };
    for (const char* config : kCalico)
      add("calico", config);
    for (const char* config : kCilium)
      add("cilium", config);
    add("calico", "");
    add("cilium", "");
  }
  return list;
}

/// Whether a finding says that no routes are written though pods need them.
bool says_unwritten(const Findings& findings) {
  return std::ranges::any_of(findings, [](const Finding& finding) {
    return finding.rule == effective::rule_of(RouteGap::NoController) ||
           finding.rule == effective::rule_of(RouteGap::BetweenSubnets) ||
           finding.rule == effective::rule_of(RouteGap::PodsInSubnet);
  });
}

/// Whether a pod's packet arrives at a pod of another node, by what compile makes of the shoot.
bool pods_reach_each_other(const effective::EffectiveDataplane& shoot) {
  const auto topology = graph::Topology::build({.shoot = &shoot});
  EXPECT_TRUE(topology) << (topology ? "" : topology.error().to_string());
  if (!topology) return false;
  const auto states = compile::compile(*topology, shoot);
  if (!states) return false;
  EXPECT_EQ(says_unwritten(states->findings),
            shoot.dataplane.cloud_routes == CloudRoutes::NotWritten);
  const auto asked = path::ask(*states, shoot, {.from = "node-1/pod-0", .to = "node-2/pod-0"});
  EXPECT_TRUE(asked);
  return asked && path::trace(*states, asked->request).delivered;
}

TEST(CloudRoutes, TraceDeliversByThemExactlyWhereTheyAreWritten) {
  std::size_t unwritten = 0;
  std::size_t written = 0;
  std::size_t unneeded = 0;
  for (const manifest::testing::ShootText& text : shoots())
    for (const StageChoice stage : {StageChoice::Create, StageChoice::Live}) {
      SCOPED_TRACE(
          fmt::format("{}\n{}", stage == StageChoice::Live ? "live" : "create", text.yaml()));
      const manifest::ManifestSet set = manifest::decode(document::parse(text.yaml(), "x.yaml"));
      const derive::Examination examined = derive::examine(set.clusters.at(0), stage);
      if (!examined.network) continue;  // Admission refuses it.
      const effective::EffectiveDataplane& shoot = *examined.network;
      const CloudRoutes routes = shoot.dataplane.cloud_routes;
      EXPECT_EQ(says_unwritten(examined.findings), routes == CloudRoutes::NotWritten);
      if (routes == CloudRoutes::NotWritten) {
        ++unwritten;
        EXPECT_FALSE(pods_reach_each_other(shoot));
      } else if (routes == CloudRoutes::Written &&
                 shoot.dataplane.mode == effective::Mode::Routed) {
        ++written;
        // BIRD's unreachable routes take precedence over the cloud's where machines have /32s.
        const bool are_hidden = provider::profile_of(shoot.provider).machines.host_addresses &&
                                shoot.dataplane.backend == effective::Backend::Bird;
        const bool is_said = std::ranges::find(examined.findings, "pod-routes-across-subnets",
                                               &Finding::rule) != examined.findings.end();
        EXPECT_TRUE(!are_hidden || is_said);
        EXPECT_EQ(pods_reach_each_other(shoot), !are_hidden);
      } else if (shoot.dataplane.mode == effective::Mode::Routed) {
        ++unneeded;
        EXPECT_EQ(pods_reach_each_other(shoot),
                  shoot.dataplane.routes_by != effective::RoutesBy::None ||
                      shoot.dataplane.is_encrypted());
      }
    }
  EXPECT_GE(unwritten, 18u);
  EXPECT_GT(written, 40u);
  EXPECT_GT(unneeded, 40u);
}

}  // namespace cloud_routes_test
}  // namespace overlane::witness
