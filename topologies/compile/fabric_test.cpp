#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/compile/compile.h"
#include "topologies/graph/testing/shoots.h"

namespace overlane::compile {

namespace fabric_test {

using effective::Provider;
using graph::testing::prefix;
using ::testing::HasSubstr;

struct Fabric {
  node::FabricState state;
  Findings findings;
};

Fabric fabric_of(const effective::EffectiveDataplane& shoot) {
  const auto topology = graph::Topology::build({.shoot = &shoot, .nodes = 3});
  Fabric fabric;
  fabric.state = fabric_state(*topology, shoot, fabric.findings);
  return fabric;
}

std::string groups(const node::FabricState& state) {
  std::string text;
  for (const node::SecurityGroup& group : state.groups) {
    text += group.name + (group.every_instance ? " for every instance\n" : "\n");
    for (const node::FabricRule& rule : group.rules)
      text += "  " + to_string(rule) + '\n';
  }
  return text;
}

TEST(Fabric, HasGardenersFilters) {
  const std::string node_ports =
      "  allow from 0.0.0.0/0 ::/0 protocol 6 protocol 17 ports 30000-32767\n";
  struct Row {
    Provider provider;
    std::string groups;
    std::size_t groups_of_an_instance;
    std::optional<bool> ovn = {};
  };
  const Row rows[] = {
      {Provider::Aws, "shop-nodes\n  allow from interfaces of the group\n" + node_ports, 1},
      {Provider::Gcp,
       "shop-allow-internal-access for every instance\n"
       "  allow from 100.96.0.0/11 10.250.0.0/16 protocol 1 protocol 4 protocol 6 protocol 17\n",
       0},
      {Provider::OpenStack, "shop\n  allow from addresses of the group\n" + node_ports, 1},
      {Provider::OpenStack, "shop\n  allow from fixed addresses of the group\n" + node_ports, 1,
       true},
      {Provider::AliCloud,
       "shop-sg\n"
       "  allow from 100.96.0.0/11\n"
       "  allow from 10.250.0.0/16 protocol 6 protocol 17 ports 1-22 ports 24-513 "
       "ports 515-65535\n"
       "  allow from 0.0.0.0/0 ::/0 protocol 6 ports 30000-32767\n"
       "  allow from interfaces of the group\n",
       1},
      {Provider::Azure, "", 0},
      {Provider::Metal, "", 0},
  };
  for (const Row& row : rows) {
    auto shoot = graph::testing::routed_shoot();
    shoot.provider = row.provider;
    shoot.ovn = row.ovn;
    const Fabric fabric = fabric_of(shoot);
    EXPECT_EQ(groups(fabric.state), row.groups);
    for (const node::Instance& instance : fabric.state.instances)
      EXPECT_EQ(instance.groups.size(), row.groups_of_an_instance) << row.groups;
  }
}

TEST(Fabric, GcpOpensIpv6ForNodesAndServices) {
  auto shoot = graph::testing::routed_shoot();
  shoot.provider = Provider::Gcp;
  shoot.pods.push_back(Ipv6Prefix::parse("2001:db8:0:100::/56").value());
  shoot.nodes.push_back(Ipv6Prefix::parse("2001:db8::/56").value());
  shoot.services.push_back(Ipv6Prefix::parse("fd00:64::/112").value());
  EXPECT_THAT(groups(fabric_of(shoot).state),
              HasSubstr("  allow from 2001:db8::/56 fd00:64::/112 protocol 58 protocol 4 "
                        "protocol 6 protocol 17\n"));
}

/// The pod routes of the first table, and the second instance's prefixes.
std::string pod_ways(const node::FabricState& state) {
  std::string text;
  for (const auto& [destination, route] : state.route_tables[0].routes)
    if (route.target == node::FabricTarget::Instance && route.instance == 1)
      text += destination.to_string() + " routed\n";
  for (const IpPrefix& prefix : state.instances[1].prefixes)
    text += prefix.to_string() + " at the interface\n";
  return text;
}

TEST(Fabric, HasRoutesOrInterfacesForPodsOfEachFamily) {
  using namespace graph::testing;
  auto openstack = dual_stack(bird_routes_shoot());
  openstack.provider = Provider::OpenStack;
  auto metal = dual_stack(routed_shoot());
  metal.provider = Provider::Metal;
  const auto aws = dual_stack_on(Provider::Aws, routed_shoot());
  struct Row {
    const char* name;
    effective::EffectiveDataplane shoot;
    const char* ways;
  };
  for (const Row& row : {
           Row{"metal", metal, "100.96.1.0/24 routed\nfd00:96:0:1::/64 routed\n"},
           Row{"openstack", openstack, "100.96.1.0/24 routed\nfd00:96:0:1::/64 routed\n"},
           Row{"aws", aws, "100.96.1.0/24 routed\n2001:db8:0:1:4::/80 at the interface\n"},
           Row{"aws with BIRD's routes, too", dual_stack_on(Provider::Aws, bird_routes_shoot()),
               "100.96.1.0/24 routed\n2001:db8:0:1:4::/80 at the interface\n"},
           Row{"aws, IPv6 alone", ipv6_only(aws), "2001:db8:0:1:4::/80 at the interface\n"},
           Row{"gcp", dual_stack_on(Provider::Gcp, routed_shoot()),
               "100.96.1.0/24 at the interface\n2001:db8::5:0:0/96 at the interface\n"},
       }) {
    EXPECT_EQ(pod_ways(fabric_of(row.shoot).state), row.ways) << row.name;
  }
}

TEST(Fabric, RoutesIpv6OutAndOnAwsToTheNat64) {
  using namespace graph::testing;
  const auto shoot = dual_stack_on(Provider::Aws, routed_shoot());
  const std::string text = to_string(fabric_of(shoot).state);
  EXPECT_THAT(text, HasSubstr("table routes-a: ::/0 -> internet (infrastructure)\n"));
  EXPECT_THAT(text, HasSubstr("table routes-a: 64:ff9b::/96 -> internet (infrastructure)\n"));
  EXPECT_THAT(to_string(fabric_of(dual_stack(routed_shoot())).state),
              ::testing::Not(HasSubstr("64:ff9b")));
}

TEST(Fabric, SaysWhoDoesNotReachPodsOfNodesWithoutARoute) {
  using namespace graph::testing;
  struct Row {
    const char* name;
    Provider provider;
    effective::EffectiveDataplane shoot;
    const char* message;
  };
  auto behind_tunnel = ipip_shoot();
  behind_tunnel.dataplane.cloud_routes = effective::CloudRoutes::Written;
  for (const Row& row : {
           Row{"openstack with nodes' own routes", Provider::OpenStack, bird_routes_shoot(),
               "is 2 (the landscape's operator): 1 of 3 nodes get no pod route, and their pods are "
               "unreachable from outside the subnet; nodes in it reach them by the nodes' own "
               "routes (bgp)"},
           Row{"openstack without", Provider::OpenStack, routed_shoot(),
               "1 of 3 nodes get no pod route, and their pods are unreachable"},
           Row{"gcp, where nodes share no link", Provider::Gcp, bird_routes_shoot(),
               "is 2 (the landscape's operator), and 1 route in it is no node's: 2 of 3 nodes get "
               "no pod "
               "route, and their pods are unreachable"},
           Row{"alicloud beside an overlay", Provider::AliCloud, behind_tunnel,
               "unreachable from outside the shoot; its nodes reach them through the tunnel"},
       }) {
    effective::EffectiveDataplane shoot = row.shoot;
    shoot.provider = row.provider;
    shoot.route_room = {.routes = 2, .source = "the landscape's operator", .is_set = true};
    const Fabric fabric = fabric_of(shoot);
    ASSERT_FALSE(fabric.findings.empty()) << row.name;
    EXPECT_THAT(fabric.findings[0].message, ::testing::EndsWith(row.message)) << row.name;
  }
}

TEST(Fabric, HasItsProvidersGuards) {
  struct Row {
    Provider provider;
    bool source_check;
    bool drops_fragments;
    bool honours_next_hop;
    std::uint8_t hops;
    node::LinkLayerAnswers link_layer_answers;
  };
  using enum node::LinkLayerAnswers;
  for (const Row& row : {Row{Provider::Aws, false, false, true, 0, WithinSubnet},
                         Row{Provider::Gcp, false, false, false, 0, AllAddresses},
                         Row{Provider::Azure, false, true, false, 0, AllAddresses},
                         Row{Provider::OpenStack, true, false, true, 1, WithinSubnet},
                         Row{Provider::AliCloud, false, false, true, 0, AllAddresses}}) {
    auto shoot = graph::testing::routed_shoot();
    shoot.provider = row.provider;
    const node::FabricState state = fabric_of(shoot).state;
    EXPECT_EQ(state.instances[0].source_destination_check, row.source_check);
    EXPECT_EQ(state.drops_disordered_fragments, row.drops_fragments);
    EXPECT_EQ(state.honours_next_hop, row.honours_next_hop);
    EXPECT_EQ(state.decrementing_hops, row.hops);
    EXPECT_EQ(state.link_layer_answers, row.link_layer_answers);
  }
}

TEST(Fabric, InstancesOfOneSubnetHaveZones) {
  auto shoot = graph::testing::routed_shoot();
  const auto lines = [](const effective::EffectiveDataplane& of) {
    const node::FabricState state = fabric_of(of).state;
    std::string zones;
    for (const node::Instance& instance : state.instances)
      zones += std::string(node::zone_of(state, instance)) + ' ';
    return zones + to_string(state);
  };
  EXPECT_THAT(lines(shoot), HasSubstr("a b a vpc "));
  EXPECT_THAT(lines(shoot), HasSubstr("\nsubnet nodes-b 10.250.128.0/17 zone b table routes-b\n"));
  EXPECT_THAT(lines(shoot), HasSubstr("\ninstance node-2 10.250.128.4 subnet nodes-b source/"));
  shoot.provider = Provider::Azure;
  EXPECT_THAT(lines(shoot), HasSubstr("a b a vpc "));
  EXPECT_THAT(lines(shoot), HasSubstr("\nsubnet nodes 10.250.0.0/16 table routes\n"));
  EXPECT_THAT(lines(shoot), HasSubstr("\ninstance node-2 10.250.0.5 subnet nodes zone b source/"));
}

TEST(Fabric, RoutesOfOthersAreThereFirstAndCountAgainstTheQuota) {
  const auto shoot = graph::testing::routed_shoot({"a"});
  const auto fabric_with = [&](std::uint32_t quota) {
    const auto topology = graph::Topology::build(
        {.shoot = &shoot,
         .nodes = 3,
         .route_quota = quota,
         .foreign_routes = {{prefix("100.96.1.0/25")}, {prefix("100.96.1.128/25"), true}}});
    Fabric fabric;
    fabric.state = fabric_state(*topology, shoot, fabric.findings);
    return fabric;
  };
  const Fabric fabric = fabric_with(100);
  const auto& routes = fabric.state.route_tables.at(0).routes;
  EXPECT_EQ(routes.find(prefix("100.96.1.0/25"))->target, node::FabricTarget::Foreign);
  EXPECT_EQ(routes.find(prefix("100.96.1.128/25"))->target, node::FabricTarget::Blackhole);
  EXPECT_EQ(routes.find(prefix("100.96.1.0/25"))->owner, node::FabricRouteOwner::User);
  EXPECT_TRUE(fabric.findings.empty());
  const std::uint32_t others = fabric.state.route_tables[0].counted_others;
  EXPECT_TRUE(fabric_with(others + 5).findings.empty()) << "two foreign ones and three nodes'";
  EXPECT_EQ(fabric_with(others + 4).findings.at(0).rule, "route-quota");
}

TEST(Fabric, TheWayOutIsSmallerWhereTheLinksAreLarger) {
  auto shoot = graph::testing::routed_shoot();
  EXPECT_EQ(fabric_of(shoot).state.egress_mtu, 0u) << "links of 1500";
  shoot.dataplane.link_mtu = 9001;
  EXPECT_EQ(fabric_of(shoot).state.egress_mtu, 1500u);
}

TEST(Fabric, GcpRefusesPodRoutesInsideASubnet) {
  auto shoot = graph::testing::routed_shoot({"a"});
  shoot.pods = {prefix("10.250.0.0/17")};
  EXPECT_TRUE(fabric_of(shoot).findings.empty()) << "AWS takes more specific routes";
  shoot.provider = Provider::Gcp;
  const Fabric gcp = fabric_of(shoot);
  ASSERT_EQ(gcp.findings.size(), 1u);
  EXPECT_EQ(gcp.findings[0].rule, "route-inside-subnet");
  EXPECT_THAT(gcp.findings[0].message,
              HasSubstr("3 of 3 nodes, the first of which is 10.250.0.0/24"));
  EXPECT_EQ(gcp.state.route_tables[0].routes.size(), 2u);
}

}  // namespace fabric_test

}  // namespace overlane::compile
