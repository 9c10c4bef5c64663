#include "dataplane/node/state/socket_route.h"

#include <gtest/gtest.h>

#include "dataplane/node/state/node_editor.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::node {
namespace socket_route_test {

using testing::ClusterShape;
using testing::ip;
using testing::make_cluster;
using testing::net;

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
