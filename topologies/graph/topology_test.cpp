#include "topologies/graph/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/graph/testing/shoots.h"
#include "topologies/provider/profile.h"

namespace overlane::graph {

namespace topology_test {

using testing::address;
using ::testing::HasSubstr;
using testing::prefix;

Result<Topology> build(const effective::EffectiveDataplane& shoot, std::uint32_t nodes,
                       std::uint32_t pods_per_node = 1) {
  return Topology::build({.shoot = &shoot, .nodes = nodes, .pods_per_node = pods_per_node});
}

TEST(Topology, DealsNodesToZonesAndAllocatesPodCidrsInOrder) {
  const auto shoot = testing::routed_shoot();
  const auto topology = build(shoot, 3, 2);
  ASSERT_TRUE(topology) << topology.error().to_string();
  ASSERT_EQ(topology->nodes().size(), 3u);
  EXPECT_EQ(topology->nodes()[0].addresses.ipv4->address, address("10.250.0.4"));
  EXPECT_EQ(topology->nodes()[1].addresses.ipv4->address, address("10.250.128.4"));
  EXPECT_EQ(topology->nodes()[2].addresses.ipv4->address, address("10.250.0.5"));
  EXPECT_EQ(topology->nodes()[0].addresses.ipv4->pod_cidr, prefix("100.96.0.0/24"));
  EXPECT_EQ(topology->nodes()[2].addresses.ipv4->pod_cidr, prefix("100.96.2.0/24"));
  EXPECT_EQ(topology->pods_of(2).first, 4u);
  EXPECT_EQ(topology->pods_of(2).count, 2u);
  EXPECT_EQ(topology->pods()[4].address.ipv4, address("100.96.2.2"));
}

TEST(Topology, HasTheShootsRouteQuotaUnlessAnotherIsAskedFor) {
  auto shoot = testing::routed_shoot();
  EXPECT_EQ(build(shoot, 2)->vpc().route_quota, 0u);
  shoot.route_room = {
      .routes = 50, .source = "the landscape's operator: as the settings say", .is_set = true};
  const auto topology = build(shoot, 2);
  EXPECT_EQ(topology->vpc().route_quota, 50u);
  EXPECT_EQ(topology->vpc().route_quota_source, "the landscape's operator: as the settings say");
  shoot.route_room.routes = std::int64_t{1} << 40;
  EXPECT_EQ(build(shoot, 2)->vpc().route_quota, 4'294'967'295u);
  const auto asked = Topology::build({.shoot = &shoot, .route_quota = 7});
  EXPECT_EQ(asked->vpc().route_quota, 7u);
  EXPECT_EQ(asked->vpc().route_quota_source, "the topology");
}

TEST(Topology, GoesOnBehindWhatWasAllocatedAndBeginsAgainBehindTheLast) {
  auto shoot = testing::routed_shoot({"a"});
  shoot.pods = {prefix("100.96.0.0/22")};
  const auto topology =
      Topology::build({.shoot = &shoot,
                       .nodes = 2,
                       .pods_per_node = 2,
                       .allocated = {.pod_cidrs = 3, .machines = 65'530, .pods = 252},
                       .name_prefix = "garden-dev/shop "});
  ASSERT_TRUE(topology) << topology.error().to_string();
  const auto& nodes = topology->nodes();
  EXPECT_EQ(nodes[0].name, "garden-dev/shop node-1");
  EXPECT_EQ(nodes[0].addresses.ipv4->pod_cidr, prefix("100.96.3.0/24"));
  EXPECT_EQ(nodes[1].addresses.ipv4->pod_cidr, prefix("100.96.0.0/24"));
  EXPECT_EQ(nodes[0].addresses.ipv4->address, address("10.250.255.254"));
  EXPECT_EQ(nodes[1].addresses.ipv4->address, address("10.250.0.4"));
  EXPECT_EQ(topology->pods()[0].address.ipv4, address("100.96.3.254"));
  EXPECT_EQ(topology->pods()[1].address.ipv4, address("100.96.3.2"));
  EXPECT_EQ(topology->subnets()[0].name, "garden-dev/shop nodes-a");
  EXPECT_EQ(topology->route_tables()[0].name, "garden-dev/shop routes-a");
}

TEST(Topology, AwsHasARouteTablePerZoneAndOthersHaveOne) {
  auto shoot = testing::routed_shoot({"a", "b", "c"});
  EXPECT_EQ(build(shoot, 1)->route_tables().size(), 3u);
  shoot.provider = effective::Provider::Gcp;
  EXPECT_EQ(build(shoot, 1)->route_tables().size(), 1u);
}

TEST(Topology, TheInfrastructuresSubnetsWin) {
  auto shoot = testing::routed_shoot();
  shoot.node_subnets.given = {{"b", prefix("10.250.32.0/19")}};
  const auto topology = build(shoot, 2);
  EXPECT_EQ(topology->nodes()[1].addresses.ipv4->address, address("10.250.32.4"));
}

TEST(Topology, OneSubnetHoldsTheNodesOfAllZones) {
  for (const auto provider :
       {effective::Provider::Gcp, effective::Provider::Azure, effective::Provider::OpenStack,
        effective::Provider::Stackit, effective::Provider::Hcloud, effective::Provider::Metal}) {
    SCOPED_TRACE(to_string(provider));
    auto shoot = testing::routed_shoot({"a", "b", "c"});
    shoot.provider = provider;
    shoot.node_subnets.given = {{"", prefix("10.250.0.0/28")}};
    const auto topology = build(shoot, 11);
    ASSERT_TRUE(topology) << topology.error().to_string();
    ASSERT_EQ(topology->subnets().size(), 1u);
    EXPECT_EQ(topology->subnets()[0].name, "nodes");
    EXPECT_EQ(topology->subnets()[0].zone, "");
    EXPECT_EQ(topology->subnets()[0].cidr.ipv4, IpPrefix(prefix("10.250.0.0/28")));
    EXPECT_EQ(topology->nodes()[1].addresses.ipv4->address, address("10.250.0.5"));
    EXPECT_EQ(topology->nodes()[10].addresses.ipv4->address, address("10.250.0.14"));
    EXPECT_EQ(topology->zones()[topology->nodes()[10].zone], "b");
    EXPECT_THAT(build(shoot, 12).error().message,
                HasSubstr("subnet 10.250.0.0/28 has no address left for node 12"));

    shoot.node_subnets.given.clear();
    EXPECT_EQ(build(shoot, 1)->subnets()[0].cidr.ipv4, IpPrefix(prefix("10.250.0.0/16")));
    shoot.zones = {"a"};
    EXPECT_EQ(build(shoot, 1)->subnets()[0].zone, "a");
  }
}

TEST(Topology, TheNetworkHoldsASubnetOutsideTheNodeRange) {
  auto shoot = testing::routed_shoot({"a"});
  shoot.provider = effective::Provider::Hcloud;
  EXPECT_EQ(build(shoot, 1)->vpc().cidr.ipv4, IpPrefix(prefix("10.250.0.0/16")));
  shoot.node_subnets.given = {{"", prefix("10.251.0.0/24")}};
  EXPECT_EQ(build(shoot, 1)->vpc().cidr.ipv4, IpPrefix(prefix("10.250.0.0/15")));
}

TEST(Topology, AzureHasASubnetPerZoneIfADocumentSaysSo) {
  auto shoot = testing::routed_shoot({"1", "2"});
  shoot.provider = effective::Provider::Azure;
  shoot.node_subnets = {.by_zone = true,
                        .given = {{"1", prefix("10.250.0.0/19")}, {"2", prefix("10.250.32.0/19")}}};
  const auto topology = build(shoot, 2);
  EXPECT_EQ(topology->subnets().size(), 2u);
  EXPECT_EQ(topology->nodes()[1].addresses.ipv4->address, address("10.250.32.4"));
}

TEST(Topology, AShootWithoutZonesStandsInOne) {
  const auto shoot = testing::routed_shoot({});
  EXPECT_EQ(build(shoot, 2)->subnets().size(), 1u);
}

TEST(Topology, MoreNodesThanPodCidrsIsImpossible) {
  auto shoot = testing::routed_shoot();
  shoot.pods = {prefix("100.96.0.0/23")};
  EXPECT_TRUE(build(shoot, 2));
  const auto refused = build(shoot, 3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rule, "impossible-topology");
  EXPECT_THAT(refused.error().message, HasSubstr("3 nodes are requested"));
  EXPECT_THAT(refused.error().message, HasSubstr("holds 2 pod CIDRs of /24"));
}

TEST(Topology, ARangeSmallerThanOnePodCidrHoldsNoNode) {
  auto shoot = testing::routed_shoot();
  shoot.pods = {prefix("100.96.0.0/25")};
  EXPECT_THAT(build(shoot, 1).error().message, HasSubstr("holds 0 pod CIDRs of /24"));
}

TEST(Topology, MorePodsThanANodeTakesIsImpossible) {
  const auto shoot = testing::routed_shoot();
  EXPECT_TRUE(build(shoot, 1, 110));
  EXPECT_THAT(build(shoot, 1, 111).error().message, HasSubstr("a node takes 110"));
}

TEST(Topology, MoreNodesThanAddressesIsImpossible) {
  auto shoot = testing::routed_shoot({"a"});
  shoot.nodes = {prefix("10.250.0.0/28")};
  EXPECT_TRUE(build(shoot, 11));  // 16 minus the first four and the broadcast address.
  EXPECT_THAT(build(shoot, 12).error().message, HasSubstr("has no address left for node 12"));
}

TEST(Topology, IsAValue) {
  const auto shoot = testing::routed_shoot();
  Topology one = build(shoot, 2).value();
  const Topology copy = one;
  one = build(shoot, 3).value();
  EXPECT_EQ(copy.nodes().size(), 2u);
  EXPECT_EQ(one.nodes().size(), 3u);
}

TEST(Topology, DrawsWholeAndPartsAndFoldsPods) {
  const auto shoot = testing::routed_shoot();
  const std::string dot = build(shoot, 2, 6)->to_graphviz(4);
  EXPECT_THAT(dot, HasSubstr("digraph"));
  EXPECT_THAT(dot, HasSubstr("subnet\\n10.250.128.0/17"));
  EXPECT_THAT(dot, HasSubstr("node-2\\n10.250.128.4\\npods 100.96.1.0/24\\n6 pods, 4 shown"));
  EXPECT_THAT(dot, HasSubstr("pod\\n100.96.1.5"));
  EXPECT_THAT(dot, ::testing::Not(HasSubstr("pod\\n100.96.1.6")));
}

TEST(Topology, DrawsASubnetOfAllZones) {
  auto shoot = testing::routed_shoot();
  shoot.provider = effective::Provider::OpenStack;
  EXPECT_THAT(build(shoot, 2)->to_graphviz(), HasSubstr("subnet\\n10.250.0.0/16\\nall zones"));
}

TEST(Topology, ADualStackShootGetsAnIpv6PodCidrForEachNode) {
  const auto shoot = testing::dual_stack(testing::routed_shoot({"a", "b"}));
  const auto topology = Topology::build({.shoot = &shoot, .nodes = 3});
  ASSERT_TRUE(topology);
  EXPECT_EQ(topology->subnets()[1].cidr.ipv6->to_string(), "fd00:10:0:1::/64");
  EXPECT_EQ(topology->nodes()[2].addresses.ipv6->address.to_string(), "fd00:10::5");
  EXPECT_EQ(topology->nodes()[2].addresses.ipv6->pod_cidr.to_string(), "fd00:96:0:2::/64");
  EXPECT_EQ(topology->pods()[2].address.ipv6->to_string(), "fd00:96:0:2::2");
}

TEST(Topology, Ipv6ComesFromWhereTheProviderTakesIt) {
  using namespace testing;
  using effective::Provider;
  struct Row {
    effective::EffectiveDataplane shoot;
    const char* node;  ///< Address of the third node, the second one of its zone.
    const char* pod_cidr;
    const char* prefix;  ///< The prefix of its interface.
    const char* ipv4_prefix;
  };
  const auto aws = dual_stack_on(Provider::Aws, routed_shoot());
  for (const Row& row : {
           Row{dual_stack(routed_shoot()), "fd00:10::5", "fd00:96:0:2::/64", "none", "none"},
           Row{aws, "2001:db8::5", "2001:db8:0:0:5::/80", "2001:db8:0:0:5::/80", "none"},
           Row{ipv6_first(aws), "2001:db8::5", "2001:db8:0:0:5::/80", "2001:db8:0:0:5::/80",
               "none"},
           Row{ipv6_only(aws), "2001:db8::5", "2001:db8:0:0:5::/80", "2001:db8:0:0:5::/80",
               "no IPv4"},
           Row{dual_stack_on(Provider::Gcp, routed_shoot()), "2001:db8::6:0:0",
               "2001:db8::6:0:0/112", "2001:db8::6:0:0/96", "100.96.2.0/24"},
       }) {
    const auto topology = build(row.shoot, 3);
    ASSERT_TRUE(topology) << topology.error().to_string();
    const auto& [ipv4, ipv6] = topology->nodes()[2].addresses;
    const auto prefix_of = [](const std::optional<NodeAddresses>& addresses) {
      if (!addresses) return std::string("no IPv4");
      const auto& prefix = addresses->interface_prefix;
      return prefix ? prefix->to_string() : "none";
    };
    EXPECT_EQ(ipv6->address.to_string(), row.node);
    EXPECT_EQ(ipv6->pod_cidr.to_string(), row.pod_cidr);
    EXPECT_EQ(prefix_of(ipv6), row.prefix);
    EXPECT_EQ(prefix_of(ipv4), row.ipv4_prefix);
  }
}

TEST(Topology, ARangeThatNoDocumentGivesIsNamed) {
  auto shoot = testing::dual_stack_on(effective::Provider::Aws, testing::routed_shoot());
  auto apart = shoot;
  apart.pods.back() = IpPrefix::parse("2001:db8:1::/56").value();
  EXPECT_THAT(build(apart, 1).error().message,
              HasSubstr("2001:db8::/56 and the pods' range 2001:db8:1::/56 do not overlap"));
  shoot.nodes.pop_back();
  const Finding nodes = build(shoot, 1).error();
  EXPECT_EQ(nodes.path, "status.networking.nodes");
  EXPECT_THAT(nodes.message, HasSubstr("no document gives the IPv6 range of the nodes"));
  shoot.pods.erase(shoot.pods.begin());
  EXPECT_EQ(build(shoot, 1).error().path, "spec.networking.pods");
}

TEST(Topology, Ipv6RangesMustHoldAPodCidrForEachNodeAndBeThereBoth) {
  auto shoot = testing::dual_stack(testing::routed_shoot({"a", "b"}));
  shoot.pods.back() = IpPrefix::parse("fd00:96::/63").value();
  EXPECT_TRUE(Topology::build({.shoot = &shoot, .nodes = 2}));
  EXPECT_EQ(Topology::build({.shoot = &shoot, .nodes = 3}).error().rule, "impossible-topology");
  shoot.pods.pop_back();
  EXPECT_EQ(Topology::build({.shoot = &shoot, .nodes = 2}).error().rule, "impossible-topology");
}

}  // namespace topology_test

}  // namespace overlane::graph
