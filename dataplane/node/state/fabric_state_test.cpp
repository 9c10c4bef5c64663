#include "dataplane/node/state/fabric_state.h"

#include <gtest/gtest.h>

#include "dataplane/node/state/world.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::node {

namespace fabric_state_test {

using testing::make_cluster;
using testing::net;

TEST(FabricState, PrintsSubnetsTablesAndGuards) {
  FabricState fabric = make_cluster({.nodes = 2}).fabric;
  fabric.route_tables[0].quota = 50;
  fabric.instances[1].source_destination_check = true;
  fabric.instances[1].allowed = {net("100.96.2.0/24")};
  fabric.dropped_protocols = {4};
  fabric.drops_disordered_fragments = true;
  fabric.path_mtu = {.within_zone = 1480, .across_zones = 1400, .silent = true};
  fabric.denied = {{.protocol = 1, .icmp_type = 3, .icmp_code = 4},
                   {.protocol = 17, .port = 4789},
                   {.protocol = 50, .disabled = true}};
  fabric.groups = {{.name = "nodes",
                    .rules = {{.source = RuleSource::GroupInterfaces},
                              {.networks = {net("0.0.0.0/0")},
                               .protocols = {6, 17},
                               .ports = {{30000, 32767}}}}},
                   {.name = "vpc", .every_instance = true}};
  fabric.instances[0].groups = {0};
  EXPECT_EQ(
      to_string(fabric),
      "vpc vpc mtu 1500\n"
      "path mtu within zone 1480 across zones 1400 silent\n"
      "subnet subnet-1 10.250.0.0/24 fd00:10:250::/64 zone a table table-1\n"
      "table table-1 takes 50 routes\n"
      "table table-1: 0.0.0.0/0 -> internet (system)\n"
      "table table-1: 10.250.0.0/16 -> local (system)\n"
      "table table-1: 100.96.1.0/24 -> node-1 (route controller)\n"
      "table table-1: 100.96.2.0/24 -> node-2 (route controller)\n"
      "table table-1: fd00:10:96:1::/64 -> node-1 (route controller)\n"
      "table table-1: fd00:10:96:2::/64 -> node-2 (route controller)\n"
      "table table-1: fd00:10:250::/60 -> local (system)\n"
      "instance node-1 10.250.0.4 fd00:10:250::4 subnet subnet-1 source/destination check off "
      "group nodes\n"
      "instance node-2 10.250.0.5 fd00:10:250::5 subnet subnet-1 source/destination check on "
      "allows 100.96.2.0/24\n"
      "group nodes\n"
      "group nodes: allow from interfaces of the group\n"
      "group nodes: allow from 0.0.0.0/0 protocol 6 protocol 17 ports 30000-32767\n"
      "group vpc for every instance\n"
      "drops protocol 4\n"
      "deny icmp type 3 code 4\n"
      "deny udp port 4789\n"
      "deny protocol 50 disabled\n"
      "drops fragments that come out of order\n");
}

TEST(FabricState, RemovesExactlyTheNamedPrefix) {
  FabricState fabric = make_cluster({.nodes = 2}).fabric;
  fabric.instances[1].prefixes = {net("100.96.2.0/24"), net("fd00:10:96:2::/80")};
  const FabricState before = fabric;
  EXPECT_NE(to_string(fabric).find("fd00:10:250::5 prefix 100.96.2.0/24 prefix fd00:10:96:2::/80 "),
            std::string::npos);
  EXPECT_FALSE(FabricEditor(fabric).remove_prefix(0, net("100.96.2.0/24")));
  EXPECT_FALSE(FabricEditor(fabric).remove_prefix(7, net("100.96.2.0/24")));
  EXPECT_TRUE(fabric == before);
  EXPECT_TRUE(FabricEditor(fabric).remove_prefix(1, net("100.96.2.0/24")));
  EXPECT_EQ(fabric.instances[1].prefixes.size(), 1u);
  EXPECT_FALSE(fabric.generation == before.generation);
}

TEST(FabricState, CountsTheQuotaInEachFamily) {
  FabricState fabric = make_cluster({.nodes = 2}).fabric;
  ASSERT_TRUE(FabricEditor(fabric).remove_route(0, net("fd00:10:96:2::/64")));
  fabric.route_tables[0].quota = 4;  // Two nodes' IPv4 routes count, and one node's IPv6 route.
  fabric.route_tables[0].counted_others = 2;
  const FabricRoute route{
      .target = FabricTarget::Instance, .instance = 1, .owner = FabricRouteOwner::RouteController};
  EXPECT_EQ(FabricEditor(fabric).set_route(0, net("100.96.3.0/24"), route), RouteChange::OverQuota);
  EXPECT_EQ(FabricEditor(fabric).set_route(0, net("fd00:10:96:3::/64"), route), RouteChange::Set);
  EXPECT_EQ(FabricEditor(fabric).set_route(0, net("fd00:10:96:4::/64"), route),
            RouteChange::OverQuota);
}

TEST(FabricState, CountsOnlyWhatTheProviderCounts) {
  struct Row {
    const char* what;
    std::uint32_t counted_others;
    bool families_share_quota;
    RouteChange change;
  };
  // Two nodes have a route of each family; the IPv4 local and default routes are there, too.
  const Row rows[] = {
      {"no route but those of nodes", 0, false, RouteChange::Set},
      {"the default route as well", 1, false, RouteChange::Set},
      {"local and default route as well", 2, false, RouteChange::OverQuota},
      {"routes of both families together", 0, true, RouteChange::OverQuota},
  };
  for (const Row& row : rows) {
    FabricState fabric = make_cluster({.nodes = 2}).fabric;
    fabric.route_tables[0].quota = 4;
    fabric.route_tables[0].counted_others = row.counted_others;
    fabric.route_tables[0].families_share_quota = row.families_share_quota;
    const FabricRoute route{.target = FabricTarget::Instance,
                            .instance = 1,
                            .owner = FabricRouteOwner::RouteController};
    EXPECT_EQ(FabricEditor(fabric).set_route(0, net("100.96.3.0/24"), route), row.change)
        << row.what;
  }
}

TEST(FabricState, RemovesExactlyTheNamedRoute) {
  FabricState fabric = make_cluster({.nodes = 2}).fabric;
  const FabricState before = fabric;
  EXPECT_TRUE(FabricEditor(fabric).remove_route(0, net("100.96.2.0/24")));
  EXPECT_FALSE(fabric.generation == before.generation);
  EXPECT_EQ(fabric.route_tables[0].routes.size(), 6u);
  EXPECT_FALSE(fabric == before);
  EXPECT_FALSE(FabricEditor(fabric).remove_route(0, net("100.96.2.0/24")));
  EXPECT_FALSE(FabricEditor(fabric).remove_route(7, net("100.96.1.0/24")));
  EXPECT_FALSE(fabric.generation == before.generation);
}

TEST(FabricState, TakesRoutesUpToTheQuota) {
  FabricState fabric = make_cluster({.nodes = 2}).fabric;
  fabric.route_tables[0].quota = 5;  // Quota for IPv4; IPv6 routes count separately.
  fabric.route_tables[0].counted_others = 2;
  const FabricRoute route{
      .target = FabricTarget::Instance, .instance = 1, .owner = FabricRouteOwner::RouteController};
  const FabricState before = fabric;
  EXPECT_EQ(FabricEditor(fabric).set_route(0, net("100.96.3.0/24"), route), RouteChange::Set);
  EXPECT_FALSE(fabric.generation == before.generation);
  const FabricState full = fabric;
  EXPECT_EQ(FabricEditor(fabric).set_route(0, net("100.96.4.0/24"), route), RouteChange::OverQuota);
  EXPECT_EQ(fabric, full);
  EXPECT_TRUE(fabric.generation == full.generation);
  EXPECT_EQ(FabricEditor(fabric).set_route(0, net("100.96.1.0/24"), route), RouteChange::Set)
      << "replaces one that is there";
  EXPECT_EQ(fabric.route_tables[0].routes.size(), 8u);
  fabric.route_tables[0].quota = 0;
  EXPECT_EQ(FabricEditor(fabric).set_route(0, net("100.96.4.0/24"), route), RouteChange::Set)
      << "an unknown quota does not limit";
}

TEST(FabricState, RefusesRoutesInsideASubnetWhereTheProviderDoes) {
  struct Row {
    const char* destination;
    RouteChange change;
  };
  const Row rows[] = {
      {"10.250.0.0/24", RouteChange::InsideSubnet}, {"10.250.0.128/25", RouteChange::InsideSubnet},
      {"10.250.0.0/16", RouteChange::Set},          {"100.96.1.0/24", RouteChange::Set},
      {"2001:db8::/80", RouteChange::InsideSubnet}, {"2001:db8:1::/64", RouteChange::Set},
  };
  for (const Row& row : rows) {
    FabricState fabric = make_cluster({.nodes = 2}).fabric;
    fabric.subnets[0].cidrs.push_back(net("2001:db8::/64"));
    FabricState guarded = fabric;
    const FabricRoute route{.target = FabricTarget::Instance, .instance = 1};
    EXPECT_EQ(FabricEditor(fabric).set_route(0, net(row.destination), route), RouteChange::Set);
    guarded.protects_subnets = true;
    EXPECT_EQ(FabricEditor(guarded).set_route(0, net(row.destination), route), row.change)
        << row.destination;
  }
}

TEST(FabricState, TheRouterHasTheFirstAddressOfEachFamily) {
  Subnet subnet{.cidrs = {net("10.250.0.0/24")}};
  EXPECT_EQ(router(subnet, true), testing::ip("10.250.0.1"));
  EXPECT_EQ(router(subnet, false), std::nullopt);
  subnet.cidrs.push_back(net("2001:db8::/64"));
  EXPECT_EQ(router(subnet, false), testing::ip("2001:db8::1"));
}

TEST(FabricState, RemovesExactlyTheNamedRule) {
  FabricState fabric = make_cluster({.nodes = 2}).fabric;
  const FabricRule self{.source = RuleSource::GroupInterfaces};
  const FabricRule pods{.networks = {net("100.96.0.0/11")}};
  fabric.groups = {{.name = "nodes", .rules = {self, pods}}};
  const FabricState before = fabric;
  EXPECT_TRUE(FabricEditor(fabric).remove_rule(0, self));
  EXPECT_EQ(fabric.groups[0].rules, std::vector{pods});
  EXPECT_FALSE(fabric.generation == before.generation);
  EXPECT_FALSE(fabric == before);
  EXPECT_FALSE(FabricEditor(fabric).remove_rule(0, self));
  EXPECT_FALSE(FabricEditor(fabric).remove_rule(1, pods));
  EXPECT_FALSE(fabric.generation == before.generation);
}

}  // namespace fabric_state_test

namespace instance_owners_test {

using testing::net;

using testing::ip;

/// Linear search, the oracle of InstanceOwners.
std::optional<std::uint32_t> first_owner(const FabricState& state, IpAddress address) {
  for (std::uint32_t i = 0; i < state.instances.size(); ++i)
    if (state.instances[i].owns(address)) return i;
  return std::nullopt;
}

TEST(InstanceOwners, FindsTheFirstInstanceThatOwnsAnAddress) {
  FabricState state;
  state.instances = {
      {.name = "a", .addresses = {ip("10.250.0.4"), ip("fd00::4")}},
      {.name = "b", .addresses = {ip("10.250.0.5")}, .prefixes = {net("100.96.1.0/24")}},
      {.name = "c", .addresses = {ip("100.96.1.7"), ip("10.250.0.4")}},
      {.name = "d", .addresses = {ip("100.96.2.9")}, .prefixes = {net("100.96.0.0/16")}},
      {.name = "e", .addresses = {ip("100.96.3.3")}, .prefixes = {net("fd00:1::/64")}},
  };
  const InstanceOwners owners(state);
  for (const char* address :
       {"10.250.0.4", "10.250.0.5", "10.250.0.6", "100.96.1.7", "100.96.1.8", "100.96.2.9",
        "100.96.3.3", "100.97.0.1", "fd00::4", "fd00:1::9", "fd00:2::9"})
    EXPECT_EQ(owners.find(ip(address)), first_owner(state, ip(address))) << address;
}

}  // namespace instance_owners_test

}  // namespace overlane::node
