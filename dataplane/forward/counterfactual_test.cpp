#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "dataplane/forward/testing/walk.h"
#include "dataplane/node/state/world.h"

namespace overlane::forward {
namespace counterfactual_test {

using node::testing::Cluster;
using node::testing::ClusterShape;
using node::testing::make_cluster;
using node::testing::net;
using node::testing::pod;
using testing::udp;
using testing::walk;

using Pair = std::pair<std::uint32_t, std::uint32_t>;
using Pairs = std::set<Pair>;

/// Returns the ordered pairs of nodes between whose pods a packet is not delivered.
Pairs broken(const Cluster& cluster) {
  Pairs pairs;
  const auto count = static_cast<std::uint32_t>(cluster.nodes.size());
  for (std::uint32_t from = 0; from < count; ++from) {
    for (std::uint32_t to = 0; to < count; ++to) {
      const auto result = walk(cluster, from, udp(pod(from), pod(to, 1)));
      if (!result.delivered() || result.nodes.back() != to) pairs.insert({from, to});
    }
  }
  return pairs;
}

/// A change to a cluster of four nodes in two subnets, and the pairs of nodes that it disconnects.
struct Row {
  const char* what;
  ClusterShape shape;
  std::function<bool(Cluster&)> remove;
  Pairs broken;
};

const ClusterShape kRouted{.encapsulation = Encapsulation::None, .nodes = 4, .subnets = 2};
const ClusterShape kIpip{.encapsulation = Encapsulation::Ipip, .nodes = 4, .subnets = 2};
const ClusterShape kVxlan{.encapsulation = Encapsulation::Vxlan, .nodes = 4, .subnets = 2};
const ClusterShape kCrossSubnet{
    .encapsulation = Encapsulation::Ipip, .cross_subnet = true, .nodes = 4, .subnets = 2};

TEST(Counterfactual, RemovingOneEntryCutsOffExactlyThePairsThatNeedIt) {
  const Row rows[] = {
      {"nothing, routed", kRouted, [](Cluster&) { return true; }, {}},
      {"nothing, CrossSubnet", kCrossSubnet, [](Cluster&) { return true; }, {}},
      {"node-1's route to node-2's pod CIDR over tunl0",
       kIpip,
       [](Cluster& c) { return node::NodeEditor(c.nodes[0]).remove_route(net("100.96.2.0/24")); },
       {{0, 1}}},
      {"node-3's tunl0",
       kIpip,
       [](Cluster& c) { return node::NodeEditor(c.nodes[2]).remove_device("tunl0"); },
       {{2, 0}, {2, 1}, {2, 3}, {0, 2}, {1, 2}, {3, 2}}},
      {"node-4's route to node-1's VTEP",
       kVxlan,
       [](Cluster& c) { return node::NodeEditor(c.nodes[3]).remove_route(net("100.96.1.0/24")); },
       {{3, 0}}},
      {"node-2's vxlan.calico",
       kVxlan,
       [](Cluster& c) { return node::NodeEditor(c.nodes[1]).remove_device("vxlan.calico"); },
       {{1, 0}, {1, 2}, {1, 3}, {0, 1}, {2, 1}, {3, 1}}},
      {"the cloud route to node-3's pod CIDR",
       kRouted,
       [](Cluster& c) {
         return node::FabricEditor(c.fabric).remove_route(0, net("100.96.3.0/24"));
       },
       {{0, 2}, {1, 2}, {3, 2}}},
      {"node-1's default route, routed",
       kRouted,
       [](Cluster& c) { return node::NodeEditor(c.nodes[0]).remove_route(net("0.0.0.0/0")); },
       {{0, 1}, {0, 2}, {0, 3}}},
      // Within the subnet the outer packets go over the connected route.
      {"node-1's default route, IPIP",
       kIpip,
       [](Cluster& c) { return node::NodeEditor(c.nodes[0]).remove_route(net("0.0.0.0/0")); },
       {{0, 1}, {0, 3}}},
      {"node-1's tunl0, CrossSubnet",
       kCrossSubnet,
       [](Cluster& c) { return node::NodeEditor(c.nodes[0]).remove_device("tunl0"); },
       {{0, 1}, {0, 3}, {1, 0}, {3, 0}}},
      {"one pod's own route",
       kIpip,
       [](Cluster& c) { return node::NodeEditor(c.nodes[1]).remove_route(net("100.96.2.11/32")); },
       {{0, 1}, {1, 1}, {2, 1}, {3, 1}}},
      {"a cloud route that IPIP does not need",
       kIpip,
       [](Cluster& c) { return node::FabricEditor(c.fabric).remove_route(0, net("0.0.0.0/0")); },
       {}},
      {"the VPC's own range",
       kIpip,
       [](Cluster& c) {
         return node::FabricEditor(c.fabric).remove_route(0, net("10.250.0.0/16"));
       },
       // Neighbours still reach each other without the router.
       {{0, 1}, {0, 3}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 0}, {3, 2}}},
      {"a member from what node-1 accepts tunnels from",
       kIpip,
       [](Cluster& c) {
         auto other = std::make_shared<node::ClusterTable>();
         other->ipv4 = c.nodes[0].cluster->ipv4;
         for (node::Member member : c.nodes[0].cluster->members()) {
           if (member.name == "node-4") member.ipv4->node = node::testing::ip("10.250.9.9");
           other->add(std::move(member));
         }
         c.nodes[0].cluster = other;
         return true;
       },
       {{0, 3}, {3, 0}}},
  };
  for (const Row& row : rows) {
    Cluster cluster = make_cluster(row.shape);
    EXPECT_TRUE(row.remove(cluster)) << row.what;
    EXPECT_EQ(broken(cluster), row.broken) << row.what;
  }
}

TEST(Counterfactual, SourceCheckBreaksRoutedClustersAndNoOverlay) {
  for (const ClusterShape& shape : {kRouted, kIpip, kVxlan}) {
    Cluster cluster = make_cluster(shape);
    cluster.fabric.instances[0].source_destination_check = true;
    const bool routed = shape.encapsulation == Encapsulation::None;
    const Pairs expected = routed ? Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 0}, {2, 0}, {3, 0}} : Pairs{};
    EXPECT_EQ(broken(cluster), expected) << to_string(shape.encapsulation);
  }
}

}  // namespace counterfactual_test
}  // namespace overlane::forward
