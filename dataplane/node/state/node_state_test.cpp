#include "dataplane/node/state/node_state.h"

#include <gtest/gtest.h>

#include "dataplane/node/state/world.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::node {

namespace node_state_test {

using testing::ip;
using testing::make_cluster;
using testing::net;
using testing::pod;

NodeState ipip_node() {
  return make_cluster({.encapsulation = Encapsulation::Ipip, .nodes = 3, .pods_per_node = 1})
      .nodes[0];
}

/// Returns the route that a lookup finds as text: "100.96.2.0/24 via …".
std::string route_to(const NodeState& state, const char* address) {
  const auto match = lookup(state, ip(address));
  return match ? to_string(match->destination, match->route) : "none";
}

TEST(NodeState, PrintsWhatIpWouldPrint) {
  EXPECT_EQ(to_string(ipip_node()),
            "eth0: uplink mtu 1500 state UP inet 10.250.0.4 inet6 fd00:10:250::4\n"
            "tunl0: ipip mtu 1480 state UP inet 100.96.1.1\n"
            "cali6460010a: veth mtu 1480 state UP\n"
            "cali54ae7199: veth mtu 1480 state UP\n"
            "default via 10.250.0.1 dev eth0 proto static\n"
            "10.250.0.0/24 dev eth0 proto kernel scope link\n"
            "blackhole 100.96.1.0/24 proto bird\n"
            "100.96.1.10 dev cali6460010a proto boot scope link\n"
            "100.96.2.0/24 via 10.250.0.5 dev tunl0 proto bird onlink\n"
            "100.96.3.0/24 via 10.250.0.6 dev tunl0 proto bird onlink\n"
            "default via fd00:10:250::1 dev eth0 proto static\n"
            "fd00:10:96:1::10 dev cali54ae7199 proto boot scope link\n"
            "fd00:10:250::/64 dev eth0 proto kernel scope link\n"
            "add members 10.250.0.4\n"
            "add members fd00:10:250::4\n"
            "add members 10.250.0.5\n"
            "add members fd00:10:250::5\n"
            "add members 10.250.0.6\n"
            "add members fd00:10:250::6\n"
            "*filter\n"
            "-A cali-INPUT -p 4 -m set --match-set {members} src -m addrtype --dst-type LOCAL "
            "-j ACCEPT\n"
            "-A cali-INPUT -p 4 -j DROP\n"
            "net.ipv4.conf.all.rp_filter = 0\n"
            "net.ipv4.ip_forward = 1\n"
            "net.ipv6.conf.all.forwarding = 1\n");
}

TEST(NodeState, VxlanRoutesGoToTheVtepWithAnMtu) {
  const auto cluster = make_cluster({.encapsulation = Encapsulation::Vxlan});
  EXPECT_EQ(route_to(cluster.nodes[0], "100.96.2.7"),
            "100.96.2.0/24 via 100.96.2.1 dev vxlan.calico proto 80 mtu 1450 onlink");
}

TEST(NodeState, PeersMayBeUnreachable) {
  auto cluster = make_cluster({.encapsulation = Encapsulation::Ipip, .nodes = 3, .subnets = 2});
  NodeState& state = cluster.nodes[0];
  auto table = std::make_shared<ClusterTable>(*state.cluster);
  table->ipv4.other_subnet = {.via = PeerRoute::Via::Unreachable, .protocol = RouteProtocol::Bird};
  NodeEditor(state).set_cluster(table);
  EXPECT_EQ(route_to(state, "100.96.2.7"), "unreachable 100.96.2.0/24 proto bird");
  EXPECT_EQ(route_to(state, "100.96.3.7"),
            "100.96.3.0/24 via 10.250.0.6 dev tunl0 proto bird onlink");
}

TEST(NodeState, NearestLayerWinsAndTheLongestPrefixBeforeThat) {
  NodeState state = ipip_node();
  EXPECT_EQ(route_to(state, "100.96.1.10"), "100.96.1.10 dev cali6460010a proto boot scope link");
  EXPECT_EQ(route_to(state, "100.96.1.11"), "blackhole 100.96.1.0/24 proto bird");
  NodeEditor(state).set_route(net("100.96.2.0/24"), {.device = "eth0", .via = ip("10.250.0.5")});
  EXPECT_EQ(route_to(state, "100.96.2.10"), "100.96.2.0/24 via 10.250.0.5 dev eth0 proto kernel");
  NodeEditor(state).set_route(net("100.96.0.0/16"), {.kind = RouteKind::Unreachable});
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
    NodeEditor(state).remove_route(net("100.96.3.0/24"));
    NodeEditor(state).set_route(net("100.96.1.10/32"), {.kind = RouteKind::Blackhole});
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
    const Generation generation = state.generation;
    EXPECT_TRUE(NodeEditor(state).remove_route(net(prefix))) << prefix;
    const Generation after = state.generation;
    EXPECT_FALSE(after == generation);
    EXPECT_FALSE(NodeEditor(state).remove_route(net(prefix))) << prefix;
    EXPECT_TRUE(state.generation == after);
  }
  EXPECT_EQ(main_table(state).size(), 3u + 3u) << "of each family";
  EXPECT_EQ(route_to(state, "100.96.2.10"), "none");
  EXPECT_EQ(route_to(state, "100.96.1.10"), "blackhole 100.96.1.0/24 proto bird");
}

TEST(NodeState, RemovingAReplacementDoesNotBringTheDerivedRouteBack) {
  NodeState state = ipip_node();
  NodeEditor(state).set_route(net("100.96.2.0/24"), {.device = "eth0"});
  EXPECT_TRUE(NodeEditor(state).remove_route(net("100.96.2.0/24")));
  EXPECT_EQ(route_to(state, "100.96.2.10"), "default via 10.250.0.1 dev eth0 proto static");
}

TEST(NodeState, UndoingAChangeMakesTheStateEqualAgain) {
  const NodeState before = ipip_node();
  NodeState state = before;
  const Route derived = lookup(state, ip("100.96.2.10"))->route;
  NodeEditor(state).remove_route(net("100.96.2.0/24"));
  EXPECT_FALSE(state == before);
  NodeEditor(state).set_route(net("100.96.2.0/24"), derived);
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
  EXPECT_TRUE(NodeEditor(state).remove_device("tunl0"));
  EXPECT_FALSE(NodeEditor(state).remove_device("tunl0"));
  const TunnelKey key{.encapsulation = Encapsulation::Ipip, .source = ip("10.250.0.5")};
  EXPECT_EQ(receiving_device(state, key), nullptr);
  EXPECT_FALSE(listens(state, key));
  EXPECT_EQ(route_to(state, "100.96.2.10"), "default via 10.250.0.1 dev eth0 proto static")
      << "a kernel flushes the routes of a device that goes away";
  EXPECT_FALSE(is_local(state, ip("100.96.1.1"))) << "its address went with it";
  EXPECT_TRUE(is_local(state, ip("10.250.0.4")));
}

TEST(NodeState, RoutesThroughADeviceThatIsDownDoNotCount) {
  NodeState state = ipip_node();
  std::ranges::find(state.devices, "tunl0", &Device::name)->up = false;
  EXPECT_EQ(route_to(state, "100.96.2.10"), "default via 10.250.0.1 dev eth0 proto static");
  EXPECT_EQ(route_to(state, "100.96.1.11"), "blackhole 100.96.1.0/24 proto bird")
      << "a black hole has no device";
  std::ranges::find(state.devices, "eth0", &Device::name)->up = false;
  EXPECT_EQ(route_to(state, "100.96.2.10"), "none");
}

TEST(NodeState, ATunnelTakesWhatItsKindPortVniAndRemoteSay) {
  NodeState state = make_cluster({.encapsulation = Encapsulation::Vxlan}).nodes[0];
  TunnelKey key{Encapsulation::Vxlan, ip("10.250.0.5"), kCalicoVni, kCalicoVxlanPort};
  EXPECT_EQ(receiving_device(state, key)->name.view(), "vxlan.calico");
  key.vni = 5;
  EXPECT_EQ(receiving_device(state, key), nullptr);
  EXPECT_TRUE(listens(state, key)) << "the socket takes it, no device does";
  key.udp_port = 8472;
  EXPECT_FALSE(listens(state, key));

  key = {Encapsulation::Vxlan, ip("10.250.0.5"), kCalicoVni, kCalicoVxlanPort};
  Device other = *state.find_device("vxlan.calico");
  other.name = "vxlan.remote";
  other.remote = ip("10.250.0.5");
  state.devices.push_back(other);
  EXPECT_EQ(receiving_device(state, key)->name.view(), "vxlan.remote");
  key.source = ip("10.250.0.6");
  EXPECT_EQ(receiving_device(state, key)->name.view(), "vxlan.calico");
  key.source = ip("fd00:10:250::5");
  EXPECT_EQ(receiving_device(state, key)->name.view(), "vxlan-v6.calico");
}

TEST(ClusterTable, FindsMembersByTunnelAndNodeAddress) {
  const NodeState state = ipip_node();
  const ClusterTable& cluster = *state.cluster;
  EXPECT_EQ(cluster.with_tunnel_address(ip("100.96.3.1"))->name, "node-3");
  EXPECT_EQ(cluster.with_tunnel_address(ip("fd00:10:96:3::1"))->name, "node-3");
  EXPECT_EQ(cluster.with_tunnel_address(ip("100.96.3.2")), nullptr);
  EXPECT_EQ(cluster.with_node_address(ip("10.250.0.6"))->name, "node-3");
  EXPECT_EQ(cluster.with_node_address(ip("10.250.0.99")), nullptr);
}

}  // namespace node_state_test

namespace socket_route_test {

using testing::ip;
using testing::make_cluster;
using testing::net;

using testing::ClusterShape;

struct Case {
  const char* name;
  ClusterShape shape;
  const char* destination;
  const char* source;
  std::uint32_t mtu;
};

constexpr Encapsulation kIpip = Encapsulation::Ipip;
constexpr Encapsulation kVxlan = Encapsulation::Vxlan;

const Case kCases[] = {
    {"a node", {}, "10.250.0.5", "10.250.0.4", 1500},
    {"a node beside an overlay", {.encapsulation = kIpip}, "10.250.0.5", "10.250.0.4", 1500},
    {"a routed pod", {}, "100.96.2.10", "10.250.0.4", 1500},
    {"a pod behind tunl0", {.encapsulation = kIpip}, "100.96.2.10", "100.96.1.1", 1480},
    {"a pod behind vxlan.calico", {.encapsulation = kVxlan}, "100.96.2.10", "100.96.1.1", 1450},
    {"a pod of the same subnet",
     {.encapsulation = kIpip, .cross_subnet = true},
     "100.96.2.10",
     "10.250.0.4",
     1500},
    {"a pod of its own", {.encapsulation = kIpip}, "100.96.1.10", "10.250.0.4", 1480},
    {"the outside", {.encapsulation = kIpip}, "203.0.113.1", "10.250.0.4", 1500},
    {"an IPv6 node", {}, "fd00:10:250::5", "fd00:10:250::4", 1500},
    {"an IPv6 pod behind a tunnel",
     {.encapsulation = kVxlan},
     "fd00:10:96:2::10",
     "fd00:10:96:1::1",
     1430},
};

TEST(SocketRoute, TakesItsSourceFromTheDeviceThatLeadsThere) {
  for (const Case& c : kCases) {
    const auto cluster = make_cluster(c.shape);
    const SocketRoute way = socket_route(cluster.nodes[0], ip(c.destination));
    EXPECT_EQ(way.source.to_string(), c.source) << c.name;
    EXPECT_EQ(way.mtu, c.mtu) << c.name;
  }
}

TEST(SocketRoute, ThroughCiliumsTunnelTakesTheAddressOfItsHostDevice) {
  auto cluster = make_cluster({.encapsulation = kVxlan, .tunnel_map = true});
  NodeState& state = cluster.nodes[0];
  EXPECT_EQ(socket_route(state, ip("100.96.2.10")).source.to_string(), "10.250.0.4");
  state.devices.push_back({.name = "cilium_host",
                           .kind = DeviceKind::Loopback,
                           .addresses = {ip("100.96.1.1"), ip("fd00:10:96:1::1")}});
  for (const auto& [destination, source] :
       {std::pair{"100.96.2.10", "100.96.1.1"}, std::pair{"fd00:10:96:2::10", "fd00:10:96:1::1"},
        std::pair{"10.250.0.5", "10.250.0.4"}})
    EXPECT_EQ(socket_route(state, ip(destination)).source.to_string(), source);
}

TEST(SocketRoute, WithoutARouteKnowsNoMtu) {
  auto cluster = make_cluster({});
  NodeEditor(cluster.nodes[0]).remove_route(net("0.0.0.0/0"));
  const SocketRoute way = socket_route(cluster.nodes[0], ip("203.0.113.1"));
  EXPECT_EQ(way.source.to_string(), "10.250.0.4");
  EXPECT_EQ(way.mtu, 0u);
}

}  // namespace socket_route_test

}  // namespace overlane::node
