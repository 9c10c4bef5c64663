#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/compile/compile.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/graph/topology.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"
#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/inventory/route_budget.h"
#include "topologies/path/question.h"
#include "topologies/witness/candidate_packets.h"
#include "topologies/witness/testing/cases.h"

namespace overlane::witness {

namespace route_table_test {

using effective::EffectiveDataplane;
using effective::Provider;
using graph::testing::cilium_native_shoot;
using graph::testing::routed_shoot;
using graph::testing::with_cloud_routes;
using ::testing::Contains;
using testing::expect_reason;
using testing::find;
using ::testing::HasSubstr;
using testing::kApart;
using testing::kClouds;
using ::testing::Not;
using testing::on;
using testing::overlay_on;
using testing::pods;

/// On one link, by BIRD, no router is asked, and in WireGuard no route; who has neither is hurt.
TEST(WitnessInOneTable, OthersLosePodsOfAShootThatNeedsNoRoutes) {
  using graph::testing::bird_routes_shoot;
  using graph::testing::encrypted;
  struct Row {
    const char* what;
    Provider provider;
    EffectiveDataplane a;
    EffectiveDataplane b;
    const char* sender;
    const char* meant;
    const char* lands;
  };
  constexpr const char* kHost = "a host of the network";
  constexpr const char* kOfA = "garden-a/a node-2/pod-0";
  constexpr const char* kOfB = "garden-b/b node-2/pod-0";
  const Row rows[] = {
      {"BIRD, in zones of one subnet", Provider::OpenStack, bird_routes_shoot(),
       bird_routes_shoot(), kHost, kOfA, kOfB},
      {"WireGuard", Provider::Gcp, encrypted(routed_shoot()), encrypted(routed_shoot()), kHost,
       kOfA, kOfB},
      {"WireGuard of Cilium", Provider::Azure, encrypted(cilium_native_shoot()),
       encrypted(cilium_native_shoot()), kHost, kOfA, kOfB},
      {"only one needs no routes", Provider::OpenStack, bird_routes_shoot(), routed_shoot(),
       "garden-b/b node-1/pod-0", kOfB, kOfA},
      {"the other needs none", Provider::Gcp, routed_shoot(), encrypted(routed_shoot()),
       "garden-a/a node-1/pod-0", kOfA, kOfB},
      {"Alibaba Cloud writes routes beside an overlay, and the routed one is hurt more",
       Provider::AliCloud, with_cloud_routes(graph::testing::ipip_shoot()), routed_shoot(),
       "garden-b/b node-1/pod-0", kOfB, kOfA},
      {"the other way round", Provider::AliCloud, routed_shoot(),
       with_cloud_routes(graph::testing::ipip_shoot()), "garden-a/a node-1/pod-0", kOfA, kOfB},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const auto a = on(row.provider, "a", row.a);
    const auto b = on(row.provider, "b", row.b);
    const Witness witness = find(pods(a, b, NetworkJoin::OneRouteTable));
    EXPECT_TRUE(witness.wrong);
    EXPECT_EQ(witness.sender, row.sender);
    EXPECT_EQ(witness.meant, row.meant);
    EXPECT_EQ(witness.lands, row.lands);
    expect_reason(witness);
  }
}

TEST(WitnessInOneTable, OverlayPodsDoNotReachRoutedPods) {
  for (const Provider provider : kClouds) {
    if (provider == Provider::AliCloud) continue;  // It writes routes beside an overlay.
    SCOPED_TRACE(to_string(provider));
    const auto a = on(provider, "a", routed_shoot());
    const auto overlay = overlay_on(provider, "o");
    const Witness witness = find(pods(a, overlay, NetworkJoin::OneRouteTable));
    EXPECT_TRUE(witness.wrong);
    EXPECT_EQ(witness.sender, "garden-o/o node-1/pod-0");
    EXPECT_EQ(witness.meant, "garden-a/a node-2/pod-0");
    EXPECT_EQ(witness.lands, "garden-o/o node-2/pod-0");
    expect_reason(witness);
  }
}

/// Where controllers delete each other's routes no pod CIDRs have to meet: the larger range's nodes
/// are far from the smaller one, whose routes are gone all the same.
TEST(WitnessInOneTable, DeletedRoutesNeedNoAssumption) {
  const auto large = routed_shoot();
  for (const Provider provider : {Provider::Aws, Provider::Azure, Provider::OpenStack}) {
    SCOPED_TRACE(to_string(provider));
    const auto a = on(provider, "a", large, {.pods = "10.160.0.0/16"});
    const auto b = on(provider, "b", large, {.pods = "10.160.128.0/17"});
    for (const OverlapCase& overlap : {pods(a, b, NetworkJoin::OneRouteTable, "10.160.128.0/17"),
                                       pods(b, a, NetworkJoin::OneRouteTable, "10.160.128.0/17")}) {
      const Witness witness = find(overlap);
      EXPECT_TRUE(witness.wrong);
      EXPECT_EQ(witness.sender, "garden-b/b node-1/pod-0");
      EXPECT_EQ(witness.meant, "garden-b/b node-2/pod-0");
      EXPECT_TRUE(witness.drop) << witness.lands;
      EXPECT_THAT(witness.assumptions, Not(Contains(HasSubstr("has allocated"))));
      EXPECT_THAT(witness.assumptions,
                  Contains(HasSubstr("the route controller of garden-a/a reconciled last")));
    }
  }
  const auto a = on(Provider::Gcp, "a", large, {.pods = "10.160.0.0/16"});
  const auto b = on(Provider::Gcp, "b", large, {.pods = "10.160.128.0/17"});
  EXPECT_THAT(find(pods(a, b, NetworkJoin::OneRouteTable, "10.160.128.0/17")).assumptions,
              Contains(HasSubstr("has allocated pod CIDRs up to")));
}

/// So a witness shows what the overlap does, and not what would not work without it.
TEST(WitnessInOneTable, AllPacketsArriveWithDisjointRanges) {
  std::size_t asked = 0;
  for (const Provider provider : kClouds) {
    const auto a = on(provider, "a", routed_shoot());
    const auto routed = on(provider, "b", routed_shoot(), kApart);
    const auto encrypted =
        on(provider, "e", graph::testing::encrypted(cilium_native_shoot()), kApart);
    const auto overlay = overlay_on(provider, "o");
    for (const OverlapCase& overlap :
         {pods(a, routed, NetworkJoin::OneRouteTable, "10.96.0.0/11"),
          pods(a, encrypted, NetworkJoin::OneRouteTable, "10.96.0.0/11"),
          pods(overlay, routed, NetworkJoin::OneRouteTable, "10.96.0.0/11"),
          pods(a, routed, NetworkJoin::OneNetwork, "10.96.0.0/11")})
      for (const OverlapCase& view : views(overlap)) {
        const auto shared = make_shared_network(view);
        ASSERT_TRUE(shared) << shared.error().to_string();
        for (const CandidatePacket& question : candidate_packets(*shared, view)) {
          const path::Trace trace = path::trace(shared->states, question.request);
          ASSERT_FALSE(trace.arrived.empty())
              << to_string(provider) << ' ' << question.sender << " to " << question.meant;
          EXPECT_EQ(trace.arrived.front().place, question.meant) << question.sender;
          ++asked;
        }
      }
  }
  EXPECT_GT(asked, 50u);
}

}  // namespace route_table_test

namespace route_quota_test {

constexpr std::int64_t kQuota = 12;
constexpr std::int64_t kMaxNodes = 20;

struct Row {
  std::string provider;
  std::string infrastructure;
  std::string families = "IPv4";
  std::int64_t fit = 0;  ///< Nodes.
};

std::string yaml(const Row& row, std::int64_t nodes) {
  return fmt::format(
      "apiVersion: core.gardener.cloud/v1beta1\n"
      "kind: Shoot\n"
      "metadata: {{name: one, namespace: garden-dev}}\n"
      "spec: {{provider: {{type: {}, infrastructureConfig: {{{}}}, controlPlaneConfig: {{{}}}, "
      "workers: [{{name: w, minimum: 1, maximum: {}, zones: [a]}}]}}, "
      "networking: {{type: calico, ipFamilies: [{}], nodes: 10.250.0.0/16, "
      "pods: {}, services: 100.64.0.0/13, "
      "providerConfig: {{overlay: {{enabled: false}}}}}}}}\n{}",
      row.provider, row.infrastructure,
      // stackit's default cloud controller manager writes no routes.
      row.provider == "stackit" ? "cloudControllerManager: {name: openstack}" : "", nodes,
      row.families,
      // hcloud writes routes only to private ranges.
      row.provider == "hcloud" ? "10.96.0.0/11" : "100.96.0.0/11",
      row.families == "IPv4" ? ""
                             : "status: {networking: {pods: [100.96.0.0/11, 'fd00:96::/48'], "
                               "services: [100.64.0.0/13, 'fd00:64::/108'], "
                               "nodes: [10.250.0.0/16, 'fd00:250::/56']}}\n");
}

derive::DeriveOptions options_of(const Row& row) {
  derive::DeriveOptions options;
  options.landscape.route_quotas[provider::profile_of(row.provider).provider] = kQuota;
  return options;
}

bool is_of_quota(const Finding& finding) {
  return finding.rule.find("route-quota-by-") != std::string::npos;
}

/// The most nodes without a finding about the route quota, of those of `find`.
template <typename Find>
std::int64_t most_without(const Find& find) {
  for (std::int64_t nodes = 1; nodes <= kMaxNodes; ++nodes) {
    const Findings findings = find(nodes);
    if (std::ranges::any_of(findings, is_of_quota)) return nodes - 1;
  }
  return kMaxNodes;
}

std::int64_t by_check(const Row& row) {
  return most_without([&](std::int64_t nodes) {
    const auto spec = manifest::decode(document::parse(yaml(row, nodes), "x.yaml")).clusters.at(0);
    return derive::examine(spec, options_of(row)).findings;
  });
}

std::int64_t by_overlap(const Row& row) {
  return most_without([&](std::int64_t nodes) {
    std::vector<overlap::Landscape> landscapes;
    landscapes.push_back({"", document::parse(yaml(row, nodes), "x.yaml"), {}});
    overlap::LandscapeReader reader(std::move(landscapes),
                                    {.derive = options_of(row), .threads = 1});
    const overlap::Inventory inventory = reader.read();
    Findings findings;
    for (const auto& budget : route_budgets(inventory, overlap::locate(inventory)))
      if (budget.finding) findings.push_back(*budget.finding);
    return findings;
  });
}

/// Nodes that have every route in every table.
std::int64_t by_compile(const Row& row) {
  const auto spec =
      manifest::decode(document::parse(yaml(row, kMaxNodes), "x.yaml")).clusters.at(0);
  const auto shoot = derive::derive(spec, options_of(row));
  EXPECT_TRUE(shoot) << shoot.error().to_string();
  if (!shoot) return 0;
  const auto topology =
      graph::Topology::build({.shoot = &*shoot, .nodes = static_cast<std::uint32_t>(kMaxNodes)});
  EXPECT_TRUE(topology) << topology.error().to_string();
  if (!topology) return 0;
  const compile::Compiled states = compile::compile(*topology, *shoot).value();
  EXPECT_EQ(states.findings.empty(), row.fit == kMaxNodes);
  return std::ranges::count_if(topology->nodes(), [&](const graph::Node& node) {
    return std::ranges::all_of(states.fabric.route_tables, [&](const node::RouteTable& table) {
      return std::ranges::all_of(graph::kFamilies, [&](Family family) {
        const graph::NodeAddresses* addresses = node.addresses.in(family);
        return addresses == nullptr || addresses->interface_prefix ||
               table.routes.find(addresses->pod_cidr) != nullptr;
      });
    });
  });
}

TEST(RouteQuota, ChecksBudgetsAndFabricsCountAlike) {
  std::vector<Row> rows = {
      {"aws", "networks: {vpc: {cidr: 10.250.0.0/16, gatewayEndpoints: [s3]}}", "IPv4", 9},
      {"openstack", "networks: {ipv6: {}}", "IPv4, IPv6", 6}};
  for (const provider::Profile* profile : provider::profiles())
    if (profile->routes.quota)
      rows.push_back(
          {std::string(profile->name), "", "IPv4", kQuota - profile->routes.quota->own_routes});
  for (const Row& row : rows) {
    SCOPED_TRACE(row.provider + " " + row.infrastructure);
    EXPECT_EQ(by_check(row), row.fit);
    EXPECT_EQ(by_overlap(row), row.fit);
    EXPECT_EQ(by_compile(row), row.fit);
  }
}

/// Compares OpenStack's router, AWS's and Azure's route tables and a GCP network.
TEST(RouteQuota, RoutesOfNoNodeCountWhereTheProviderCountsThem) {
  const auto own = [](std::string_view name) {
    return provider::profile_of(name).routes.quota->own_routes;
  };
  EXPECT_EQ(own("openstack"), 0) << "max_routes limits extra routes";
  EXPECT_EQ(own("azure"), 0) << "user-defined routes only";
  EXPECT_EQ(own("gcp"), 1) << "the default route is a static one";
  EXPECT_EQ(own("aws"), 2);
}

}  // namespace route_quota_test

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
