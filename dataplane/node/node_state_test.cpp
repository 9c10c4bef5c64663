#include "dataplane/node/node_state.h"

#include <gtest/gtest.h>

#include "dataplane/node/testing/cluster.h"

namespace overlane::node {
namespace {

using testing::ip;
using testing::make_cluster;
using testing::net;
using testing::pod;

NodeState ipip_node() {
  return make_cluster({.encapsulation = Encapsulation::Ipip, .nodes = 3, .pods_per_node = 1})
      .nodes[0];
}

/// "100.96.2.0/24 via …": the route that a lookup finds, as text.
std::string route_to(const NodeState& state, const char* address) {
  const auto match = lookup(state, ip(address));
  return match ? to_string(match->destination, match->route) : "none";
}

TEST(NodeState, PrintsWhatIpWouldPrint) {
  EXPECT_EQ(to_string(ipip_node()),
            "eth0: uplink mtu 1500 state UP inet 10.250.0.4\n"
            "tunl0: ipip mtu 1480 state UP inet 100.96.1.1\n"
            "default via 10.250.0.1 dev eth0 proto static\n"
            "10.250.0.0/24 dev eth0 proto kernel scope link\n"
            "blackhole 100.96.1.0/24 proto bird\n"
            "100.96.1.10 dev cali6460010a proto boot scope link\n"
            "100.96.2.0/24 via 10.250.0.5 dev tunl0 proto bird onlink\n"
            "100.96.3.0/24 via 10.250.0.6 dev tunl0 proto bird onlink\n");
}

TEST(NodeState, VxlanRoutesGoToTheVtepWithAnMtu) {
  const auto cluster = make_cluster({.encapsulation = Encapsulation::Vxlan});
  EXPECT_EQ(route_to(cluster.nodes[0], "100.96.2.7"),
            "100.96.2.0/24 via 100.96.2.1 dev vxlan.calico proto 80 mtu 1450 onlink");
}

TEST(NodeState, NearestLayerWinsAndTheLongestPrefixBeforeThat) {
  NodeState state = ipip_node();
  EXPECT_EQ(route_to(state, "100.96.1.10"), "100.96.1.10 dev cali6460010a proto boot scope link");
  EXPECT_EQ(route_to(state, "100.96.1.11"), "blackhole 100.96.1.0/24 proto bird");
  set_route(state, net("100.96.2.0/24"), {.device = "eth0", .via = ip("10.250.0.5")});
  EXPECT_EQ(route_to(state, "100.96.2.10"), "100.96.2.0/24 via 10.250.0.5 dev eth0 proto kernel");
  set_route(state, net("100.96.0.0/16"), {.kind = RouteKind::Unreachable});
  EXPECT_EQ(route_to(state, "100.96.3.10"),
            "100.96.3.0/24 via 10.250.0.6 dev tunl0 proto bird onlink");
}

TEST(NodeState, LookupAgreesWithAScanOfTheMainTable) {
  for (const bool cross_subnet : {false, true}) {
    auto cluster = make_cluster({.encapsulation = Encapsulation::Ipip,
                                 .cross_subnet = cross_subnet,
                                 .nodes = 4,
                                 .subnets = 2});
    NodeState& state = cluster.nodes[1];
    remove_route(state, net("100.96.3.0/24"));
    set_route(state, net("100.96.1.10/32"), {.kind = RouteKind::Blackhole});
    for (IpAddress address = ip("100.96.0.0"); address < ip("100.96.6.0"); address = address + 1) {
      const RouteMatch* best = nullptr;
      const auto table = main_table(state);
      for (const RouteMatch& match : table) {
        if (!match.destination.contains(address)) continue;
        if (best == nullptr || match.destination.length() > best->destination.length())
          best = &match;
      }
      const auto found = lookup(state, address);
      ASSERT_EQ(found.has_value(), best != nullptr);
      EXPECT_EQ(found->destination, best->destination);
      EXPECT_EQ(found->route, best->route);
    }
  }
}

TEST(NodeState, RemovingARouteRemovesItFromWhicheverLayerHoldsIt) {
  NodeState state = ipip_node();
  for (const char* prefix : {"100.96.2.0/24", "100.96.1.10/32", "0.0.0.0/0"}) {
    const std::uint64_t generation = state.generation;
    EXPECT_TRUE(remove_route(state, net(prefix))) << prefix;
    EXPECT_EQ(state.generation, generation + 1);
    EXPECT_FALSE(remove_route(state, net(prefix))) << prefix;
    EXPECT_EQ(state.generation, generation + 1);
  }
  EXPECT_EQ(main_table(state).size(), 3u);
  EXPECT_EQ(route_to(state, "100.96.2.10"), "none");
  EXPECT_EQ(route_to(state, "100.96.1.10"), "blackhole 100.96.1.0/24 proto bird");
}

TEST(NodeState, RemovingAReplacementDoesNotBringTheDerivedRouteBack) {
  NodeState state = ipip_node();
  set_route(state, net("100.96.2.0/24"), {.device = "eth0"});
  EXPECT_TRUE(remove_route(state, net("100.96.2.0/24")));
  EXPECT_EQ(route_to(state, "100.96.2.10"), "default via 10.250.0.1 dev eth0 proto static");
}

TEST(NodeState, UndoingAChangeMakesTheStateEqualAgain) {
  const NodeState before = ipip_node();
  NodeState state = before;
  const Route derived = lookup(state, ip("100.96.2.10"))->route;
  remove_route(state, net("100.96.2.0/24"));
  EXPECT_FALSE(state == before);
  set_route(state, net("100.96.2.0/24"), derived);
  EXPECT_TRUE(state == before);
  EXPECT_NE(state.generation, before.generation);
}

TEST(NodeState, EqualityComparesClusterTablesByValue) {
  EXPECT_TRUE(ipip_node() == ipip_node());
  const auto other = make_cluster({.encapsulation = Encapsulation::Ipip, .nodes = 4}).nodes[0];
  EXPECT_FALSE(ipip_node() == other);
}

TEST(NodeState, RemovesDevicesByName) {
  NodeState state = ipip_node();
  EXPECT_TRUE(remove_device(state, "tunl0"));
  EXPECT_FALSE(remove_device(state, "tunl0"));
  EXPECT_EQ(state.tunnel_device(Encapsulation::Ipip), nullptr);
  EXPECT_EQ(state.tunnel_device(Encapsulation::None), nullptr);
  EXPECT_FALSE(is_local(state, ip("100.96.1.1"))) << "its address went with it";
  EXPECT_TRUE(is_local(state, ip("10.250.0.4")));
}

TEST(NodeState, FindsMembersByTunnelAndNodeAddress) {
  const NodeState state = ipip_node();
  EXPECT_EQ(member_with_tunnel_address(state, ip("100.96.3.1"))->name, "node-3");
  EXPECT_EQ(member_with_tunnel_address(state, ip("100.96.3.2")), nullptr);
  EXPECT_TRUE(is_member_address(state, ip("10.250.0.6"), pod(2)));
  EXPECT_TRUE(is_member_address(state, ip("10.250.0.6"), ip("8.8.8.8")));
  EXPECT_FALSE(is_member_address(state, ip("10.250.0.99"), pod(2)));
}

}  // namespace
}  // namespace overlane::node
