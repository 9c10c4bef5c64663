#include "dataplane/node/fabric_state.h"

#include <gtest/gtest.h>

#include "dataplane/node/testing/cluster.h"

namespace overlane::node {
namespace {

using testing::make_cluster;
using testing::net;

TEST(FabricState, PrintsSubnetsTablesAndGuards) {
  FabricState fabric = make_cluster({.nodes = 2}).fabric;
  fabric.route_tables[0].quota = 50;
  fabric.instances[1].source_destination_check = true;
  fabric.instances[1].allowed = {net("100.96.2.0/24")};
  fabric.dropped_protocols = {4};
  fabric.drops_disordered_fragments = true;
  fabric.groups = {{.name = "nodes",
                    .rules = {{.source = RuleSource::GroupInterfaces},
                              {.networks = {net("0.0.0.0/0")},
                               .protocols = {6, 17},
                               .ports = {{30000, 32767}}}}},
                   {.name = "vpc", .every_instance = true}};
  fabric.instances[0].groups = {0};
  EXPECT_EQ(to_string(fabric),
            "vpc vpc mtu 1500\n"
            "subnet subnet-1 10.250.0.0/24 zone a table table-1\n"
            "table table-1 4 routes of 50\n"
            "  0.0.0.0/0 -> internet (system)\n"
            "  10.250.0.0/16 -> local (system)\n"
            "  100.96.1.0/24 -> node-1 (route controller)\n"
            "  100.96.2.0/24 -> node-2 (route controller)\n"
            "instance node-1 10.250.0.4 source/destination check off group nodes\n"
            "instance node-2 10.250.0.5 source/destination check on allows 100.96.2.0/24\n"
            "group nodes\n"
            "  allow from interfaces of the group\n"
            "  allow from 0.0.0.0/0 protocol 6 protocol 17 ports 30000-32767\n"
            "group vpc for every instance\n"
            "drops protocol 4\n"
            "drops fragments that come out of order\n");
}

TEST(FabricState, RemovesExactlyTheNamedRoute) {
  FabricState fabric = make_cluster({.nodes = 2}).fabric;
  const FabricState before = fabric;
  EXPECT_TRUE(remove_route(fabric, 0, net("100.96.2.0/24")));
  EXPECT_EQ(fabric.generation, before.generation + 1);
  EXPECT_EQ(fabric.route_tables[0].routes.size(), 3u);
  EXPECT_FALSE(fabric == before);
  EXPECT_FALSE(remove_route(fabric, 0, net("100.96.2.0/24")));
  EXPECT_FALSE(remove_route(fabric, 7, net("100.96.1.0/24")));
  EXPECT_EQ(fabric.generation, before.generation + 1);
}

TEST(FabricState, RemovesExactlyTheNamedRule) {
  FabricState fabric = make_cluster({.nodes = 2}).fabric;
  const FabricRule self{.source = RuleSource::GroupInterfaces};
  const FabricRule pods{.networks = {net("100.96.0.0/11")}};
  fabric.groups = {{.name = "nodes", .rules = {self, pods}}};
  const FabricState before = fabric;
  EXPECT_TRUE(remove_rule(fabric, 0, self));
  EXPECT_EQ(fabric.groups[0].rules, std::vector{pods});
  EXPECT_EQ(fabric.generation, before.generation + 1);
  EXPECT_FALSE(fabric == before);
  EXPECT_FALSE(remove_rule(fabric, 0, self));
  EXPECT_FALSE(remove_rule(fabric, 1, pods));
  EXPECT_EQ(fabric.generation, before.generation + 1);
}

}  // namespace
}  // namespace overlane::node
