#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/forward/packet_builder.h"
#include "dataplane/node/state/world.h"
#include "topologies/graph/testing/shoots.h"
#include "topologies/path/trace.h"

namespace overlane::path {
namespace walk_test {

using graph::testing::prefix;

constexpr std::uint32_t kNodes = 4;  // 0 and 2 in zone a, 1 and 3 in zone b.

using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

struct Cluster {
  graph::Topology topology;
  compile::Compiled states;
};

Cluster cluster(const effective::EffectiveDataplane& shoot) {
  auto topology = graph::Topology::build({.shoot = &shoot, .nodes = kNodes, .pods_per_node = 1});
  auto states = compile::compile(*topology, shoot);
  return {std::move(*topology), std::move(*states)};
}

forward::Packet udp(IpAddress source, IpAddress destination, std::uint32_t bytes,
                    bool dont_fragment = true) {
  return forward::PacketBuilder::udp(source, destination)
      .length(bytes)
      .dont_fragment(dont_fragment)
      .build();
}

/// The ordered pairs of nodes whose pods cannot reach each other.
Pairs unreachable(const Cluster& cluster) {
  Pairs pairs;
  const auto& pods = cluster.topology.pods();
  for (std::uint32_t a = 0; a < kNodes; ++a) {
    for (std::uint32_t b = 0; b < kNodes; ++b) {
      if (a == b) continue;
      if (!walk(cluster.states, a, udp(*pods[a].address.ipv4, *pods[b].address.ipv4, 100))
               .delivered()) {
        pairs.insert({a, b});
      }
    }
  }
  return pairs;
}

Pairs all_to(std::uint32_t node) {
  Pairs pairs;
  for (std::uint32_t a = 0; a < kNodes; ++a) {
    if (a != node) pairs.insert({a, node});
  }
  return pairs;
}

Pairs all_with(std::uint32_t node) {
  Pairs pairs = all_to(node);
  for (const auto& [a, b] : all_to(node))
    pairs.insert({b, a});
  return pairs;
}

std::vector<effective::EffectiveDataplane> every_mode() {
  using namespace graph::testing;
  return {routed_shoot(),
          bird_routes_shoot(),
          ipip_shoot(),
          by_felix(ipip_shoot()),
          vxlan_shoot(),
          cross_subnet_shoot(),
          by_felix(cross_subnet_shoot()),
          cilium_native_shoot(),
          cilium_direct_routes_shoot(),
          encrypted(routed_shoot()),
          encrypted(ipip_shoot()),
          encrypted(vxlan_shoot()),
          encrypted(cilium_native_shoot()),
          cilium_tunnel_shoot(effective::Encapsulation::Vxlan),
          cilium_tunnel_shoot(effective::Encapsulation::Geneve)};
}

TEST(Walk, EveryPodReachesEveryOtherInEveryMode) {
  for (const auto& shoot : every_mode()) {
    EXPECT_EQ(unreachable(cluster(shoot)), Pairs{})
        << shoot.cni << ' ' << to_string(shoot.dataplane.encapsulation) << ' '
        << to_string(shoot.dataplane.routes_by);
  }
}

TEST(Walk, DualStackPodsReachEachOtherInIpv6Too) {
  using namespace graph::testing;
  for (const auto& shoot :
       {dual_stack(routed_shoot()), dual_stack(bird_routes_shoot()),
        dual_stack_on(effective::Provider::Aws, routed_shoot()),
        dual_stack_on(effective::Provider::Aws, cilium_native_shoot()),
        dual_stack_on(effective::Provider::Gcp, routed_shoot()),
        dual_stack_on(effective::Provider::Gcp, cilium_native_shoot()),
        dual_stack(cilium_direct_routes_shoot()), dual_stack(encrypted(bird_routes_shoot())),
        dual_stack(encrypted(cilium_native_shoot())),
        dual_stack(cilium_tunnel_shoot(effective::Encapsulation::Vxlan)),
        dual_stack(cilium_tunnel_shoot(effective::Encapsulation::Geneve))}) {
    Cluster both = cluster(shoot);
    EXPECT_EQ(unreachable(both), Pairs{});
    const auto& pods = both.topology.pods();
    for (std::uint32_t a = 0; a < kNodes; ++a) {
      for (std::uint32_t b = 0; b < kNodes; ++b) {
        if (a == b) continue;
        EXPECT_TRUE(walk(both.states, a, udp(*pods[a].address.ipv6, *pods[b].address.ipv6, 1280))
                        .delivered())
            << a << ' ' << b << ' ' << to_string(shoot.dataplane.routes_by);
      }
    }
  }
}

TEST(Compile, Ipv6ThatNobodyKnowsIsRefusedByName) {
  using namespace graph::testing;
  const auto on = [](effective::Provider provider, effective::EffectiveDataplane shoot) {
    shoot.provider = provider;
    return shoot;
  };
  auto contradiction = dual_stack(ipip_shoot());
  contradiction.not_modelled_because = "Felix's IPIP is off";
  struct Row {
    effective::EffectiveDataplane shoot;
    const char* why;
  };
  for (const Row& row :
       {Row{on(effective::Provider::Azure, dual_stack(routed_shoot())), "azure has no"},
        Row{on(effective::Provider::AliCloud, dual_stack(routed_shoot())), "load balancers"},
        Row{contradiction, "Felix's IPIP is off"},
        Row{ipv6_only(dual_stack(cilium_tunnel_shoot(effective::Encapsulation::Vxlan))),
            "over IPv4 only"}}) {
    const auto topology = graph::Topology::build({.shoot = &row.shoot, .nodes = 2});
    const auto compiled = compile::compile(*topology, row.shoot);
    ASSERT_FALSE(compiled) << row.why;
    EXPECT_EQ(compiled.error().rule, "unsupported-ip-family");
    EXPECT_THAT(compiled.error().message, ::testing::HasSubstr(row.why));
  }
}

TEST(Walk, DirectNodeRoutesDoWithoutTheCloudWithinASubnetOnly) {
  Cluster direct = cluster(graph::testing::cilium_direct_routes_shoot());
  for (std::uint32_t table = 0; table < 2; ++table)
    ASSERT_TRUE(
        node::FabricEditor(direct.states.fabric).remove_route(table, prefix("100.96.2.0/24")));
  EXPECT_EQ(unreachable(direct), (Pairs{{1, 2}, {3, 2}}));
}

TEST(Walk, WithoutACloudRouteOnlyItsZoneLosesThatNode) {
  Cluster routed = cluster(graph::testing::routed_shoot());
  ASSERT_TRUE(node::FabricEditor(routed.states.fabric).remove_route(0, prefix("100.96.3.0/24")));
  EXPECT_EQ(unreachable(routed), (Pairs{{0, 3}, {2, 3}}));
}

TEST(Walk, TheOverlayDoesNotNeedTheCloudRoutes) {
  const Cluster ipip = cluster(graph::testing::ipip_shoot());
  for (const node::RouteTable& table : ipip.states.fabric.route_tables) {
    EXPECT_EQ(table.routes.size(), 2u) << "local and default only";
  }
}

TEST(Walk, WithoutAPeersRouteOnlyThatDirectionIsLost) {
  for (const auto& shoot : {graph::testing::ipip_shoot(), graph::testing::vxlan_shoot(),
                            graph::testing::cilium_tunnel_shoot(effective::Encapsulation::Vxlan)}) {
    Cluster overlay = cluster(shoot);
    ASSERT_TRUE(node::NodeEditor(overlay.states.nodes[1]).remove_route(prefix("100.96.2.0/24")));
    EXPECT_EQ(unreachable(overlay), (Pairs{{1, 2}}));
  }
}

TEST(Walk, WithoutATunnelDeviceTheNodeIsCutOff) {
  Cluster ipip = cluster(graph::testing::ipip_shoot());
  ASSERT_TRUE(node::NodeEditor(ipip.states.nodes[2]).remove_device("tunl0"));
  EXPECT_EQ(unreachable(ipip), all_with(2));

  Cluster vxlan = cluster(graph::testing::vxlan_shoot());
  ASSERT_TRUE(node::NodeEditor(vxlan.states.nodes[2]).remove_device("vxlan.calico"));
  EXPECT_EQ(unreachable(vxlan), all_with(2));

  Cluster geneve = cluster(graph::testing::cilium_tunnel_shoot(effective::Encapsulation::Geneve));
  ASSERT_TRUE(node::NodeEditor(geneve.states.nodes[2]).remove_device("cilium_geneve"));
  EXPECT_EQ(unreachable(geneve), all_with(2));
}

TEST(Walk, CrossSubnetNeedsTheTunnelBetweenZonesOnly) {
  Cluster cluster_ = cluster(graph::testing::cross_subnet_shoot());
  ASSERT_TRUE(node::NodeEditor(cluster_.states.nodes[2]).remove_device("tunl0"));
  EXPECT_EQ(unreachable(cluster_), (Pairs{{2, 1}, {1, 2}, {2, 3}, {3, 2}}));
}

TEST(Walk, WithoutAPodsRouteItNeitherReceivesNorPassesTheReversePathCheck) {
  Cluster ipip = cluster(graph::testing::ipip_shoot());
  ASSERT_TRUE(node::NodeEditor(ipip.states.nodes[3]).remove_route(prefix("100.96.3.2/32")));
  EXPECT_EQ(unreachable(ipip), all_with(3));
  const auto& pods = ipip.topology.pods();
  EXPECT_EQ(walk(ipip.states, 3, udp(*pods[3].address.ipv4, *pods[0].address.ipv4, 100)).drop,
            Drop::SourceSpoofed);
  EXPECT_EQ(walk(ipip.states, 0, udp(*pods[0].address.ipv4, *pods[3].address.ipv4, 100)).drop,
            Drop::BlackholeRoute);
}

TEST(Walk, RoutedWithoutAPodsRouteLoopsUntilItsHopLimitEnds) {
  Cluster routed = cluster(graph::testing::routed_shoot());
  ASSERT_TRUE(node::NodeEditor(routed.states.nodes[3]).remove_route(prefix("100.96.3.2/32")));
  const auto& pods = routed.topology.pods();
  EXPECT_EQ(walk(routed.states, 0, udp(*pods[0].address.ipv4, *pods[3].address.ipv4, 100)).drop,
            Drop::TtlExpired);
}

TEST(Walk, AForbiddenProtocolStopsTheOverlayInTheFabric) {
  auto shoot = graph::testing::ipip_shoot();
  shoot.provider = effective::Provider::Azure;
  const Cluster azure = cluster(shoot);
  const auto& pods = azure.topology.pods();
  const Walk walked = walk(azure.states, 0, udp(*pods[0].address.ipv4, *pods[1].address.ipv4, 100));
  EXPECT_EQ(walked.drop, Drop::FabricProtocolFilter);
  EXPECT_FALSE(walked.steps.empty());
}

TEST(Walk, OpenStackTakesPodAddressesFromItsAllowedPairsOnly) {
  auto shoot = graph::testing::routed_shoot({"a"});
  shoot.provider = effective::Provider::OpenStack;
  Cluster openstack = cluster(shoot);
  EXPECT_EQ(unreachable(openstack), Pairs{});
  openstack.states.fabric.instances[1].allowed.clear();
  EXPECT_EQ(unreachable(openstack), all_with(1));
}

TEST(Walk, EveryProvidersFiltersLetTheShootsOwnTrafficThrough) {
  for (const auto provider : {effective::Provider::Aws, effective::Provider::Gcp,
                              effective::Provider::Azure, effective::Provider::OpenStack,
                              effective::Provider::AliCloud, effective::Provider::Metal}) {
    for (auto shoot : {graph::testing::routed_shoot(), graph::testing::ipip_shoot(),
                       graph::testing::vxlan_shoot()}) {
      shoot.provider = provider;
      const bool refused = provider == effective::Provider::Azure &&
                           shoot.dataplane.encapsulation == effective::Encapsulation::Ipip;
      EXPECT_EQ(unreachable(cluster(shoot)).empty(), !refused)
          << to_string(provider) << ' ' << shoot.dataplane.overhead_bytes;
    }
  }
}

TEST(Walk, WithoutTheSelfReferenceOfItsSecurityGroupNoNodeIsReached) {
  for (const auto& shoot : {graph::testing::routed_shoot(), graph::testing::vxlan_shoot()}) {
    Cluster aws = cluster(shoot);
    const node::FabricRule self = aws.states.fabric.groups[0].rules[0];
    ASSERT_EQ(self.source, node::RuleSource::GroupInterfaces);
    ASSERT_TRUE(node::FabricEditor(aws.states.fabric).remove_rule(0, self));
    const auto& pods = aws.topology.pods();
    const Walk walked = walk(aws.states, 0, udp(*pods[0].address.ipv4, *pods[1].address.ipv4, 100));
    EXPECT_EQ(walked.drop, Drop::FabricPacketFilter);
    EXPECT_EQ(unreachable(aws).size(), kNodes * (kNodes - 1));
  }
}

TEST(Walk, LargePacketsArriveAsFragmentsUnlessTheyMustNotBeCut) {
  const Cluster ipip = cluster(graph::testing::ipip_shoot());
  const auto& pods = ipip.topology.pods();
  EXPECT_TRUE(
      walk(ipip.states, 0, udp(*pods[0].address.ipv4, *pods[1].address.ipv4, 1480)).delivered());
  EXPECT_EQ(walk(ipip.states, 0, udp(*pods[0].address.ipv4, *pods[1].address.ipv4, 1481)).drop,
            Drop::MtuExceeded);
  EXPECT_TRUE(walk(ipip.states, 0, udp(*pods[0].address.ipv4, *pods[1].address.ipv4, 4000, false))
                  .delivered());

  const Cluster cilium =
      cluster(graph::testing::cilium_tunnel_shoot(effective::Encapsulation::Vxlan));
  EXPECT_TRUE(
      walk(cilium.states, 0, udp(*pods[0].address.ipv4, *pods[1].address.ipv4, 1450)).delivered());
  EXPECT_EQ(walk(cilium.states, 0, udp(*pods[0].address.ipv4, *pods[1].address.ipv4, 1451)).drop,
            Drop::MtuExceeded);
}

TEST(Compile, RoutesBeyondTheQuotaAreLeftOutAndFound) {
  const auto shoot = graph::testing::routed_shoot();
  auto topology = graph::Topology::build(
      {.shoot = &shoot, .nodes = kNodes, .pods_per_node = 1, .route_quota = 5});
  Cluster limited{*topology, compile::compile(*topology, shoot).value()};
  ASSERT_EQ(limited.states.findings.size(), 2u) << "one for each zone's table";
  EXPECT_EQ(limited.states.findings[0].rule, "route-quota");
  EXPECT_THAT(limited.states.findings[0].message, ::testing::HasSubstr("1 of 4 nodes"));
  EXPECT_EQ(unreachable(limited), all_to(3));
}

TEST(Compile, WireGuardAroundCiliumsTunnelIsRefusedByName) {
  using namespace graph::testing;
  const auto shoot = encrypted(cilium_tunnel_shoot(effective::Encapsulation::Vxlan));
  const auto topology = graph::Topology::build({.shoot = &shoot, .nodes = 2, .pods_per_node = 1});
  EXPECT_EQ(compile::compile(*topology, shoot).error().rule, "unsupported-encryption");
}

/// Calico keeps its routes in two tables: the main table's are below WireGuard's.
TEST(Walk, WithoutItsWireGuardDeviceANodeSendsInTheClear) {
  for (const auto& shoot : {graph::testing::encrypted(graph::testing::ipip_shoot()),
                            graph::testing::encrypted(graph::testing::routed_shoot())}) {
    Cluster lost = cluster(shoot);
    ASSERT_TRUE(node::NodeEditor(lost.states.nodes[1]).remove_device("wireguard.cali"));
    const bool has_cloud_routes = shoot.dataplane.mode == effective::Mode::Routed;
    // Other nodes still encrypt packets to it, which it drops.
    const Pairs to_it{{0, 1}, {2, 1}, {3, 1}};
    EXPECT_EQ(unreachable(lost), to_it) << has_cloud_routes;
  }
}

}  // namespace walk_test
}  // namespace overlane::path
