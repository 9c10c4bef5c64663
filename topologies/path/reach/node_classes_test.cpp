#include "topologies/path/reach/node_classes.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "topologies/path/testing/walked_pairs.h"

namespace overlane::path {
namespace node_classes_test {

using node::NodeEditor;
using node::testing::net;
using node::testing::node_address;
using node::testing::pod_cidr;
using testing::world_of;

const node::testing::ClusterShape kRouted{.nodes = 6};
using Classes = std::vector<std::uint32_t>;

struct Found {
  NodePartition by_state;
  Classes interchangeable;  ///< By node; numbered by their first nodes.
  std::vector<bool> alone;
};

/// NodeClasses::class_of() each node, with a number of its own for each that is named.
Classes interchangeable(const NodeClasses& classes, const node::World& world) {
  Classes result;
  std::map<std::uint32_t, std::uint32_t> numbers;
  std::uint32_t next = 0;
  for (std::uint32_t n = 0; n < world.nodes.size(); ++n) {
    const std::uint32_t found = classes.class_of(n);
    if (found == NodeClasses::kNamed) {
      result.push_back(next++);
    } else {
      const auto [at, is_new] = numbers.try_emplace(found, next);
      next += is_new;
      result.push_back(at->second);
    }
  }
  return result;
}

Found classes_of(const node::World& world) {
  const FirstPods pods = first_pods(world, Family::Ipv4);
  const NodeClasses classes(world, pods, false);
  Found found{classes.by_state(), interchangeable(classes, world), {}};
  for (std::uint32_t n = 0; n < world.nodes.size(); ++n)
    found.alone.push_back(classes.is_alone(n));
  return found;
}

TEST(NodeClasses, NodesThatDifferInTheirIdentityAreAlike) {
  for (const auto& row : overlane::kEncapsulations) {
    // Point-to-point devices name the next node.
    const bool is_pointed =
        row.encapsulation == Encapsulation::Ip6Tnl || row.encapsulation == Encapsulation::Geneve;
    const Found classes = classes_of(world_of({.encapsulation = row.encapsulation, .nodes = 6}));
    EXPECT_EQ(std::ranges::max(classes.interchangeable) + 1, is_pointed ? 6u : 1u)
        << to_string(row.encapsulation);
  }
}

TEST(NodeClasses, NodesInDifferentSubnetsAreNotAlike) {
  const Found classes = classes_of(world_of({.nodes = 6, .subnets = 2}));
  EXPECT_EQ(classes.by_state.class_of, (Classes{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(classes.interchangeable, (Classes{0, 1, 0, 1, 0, 1}));
}

TEST(NodeClasses, ANodeThatAnotherOneNamesIsNotInterchangeable) {
  node::World world = world_of(kRouted);
  NodeEditor(world.nodes[1])
      .set_route(pod_cidr(3), {.device = "eth0", .via = node_address(kRouted, 4)});
  const Found classes = classes_of(world);
  EXPECT_EQ(classes.by_state.class_of, (Classes{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(classes.interchangeable, (Classes{0, 1, 0, 2, 3, 0}));
}

TEST(NodeClasses, ACloudRouteThatHoldsSomeNodesTellsThemApart) {
  node::World world = world_of(kRouted);
  node::FabricEditor(world.fabric)
      .set_route(0, net("100.96.2.0/23"), {.target = node::FabricTarget::Blackhole});
  const Found classes = classes_of(world);
  EXPECT_EQ(classes.by_state.first.size(), 1u);
  EXPECT_EQ(classes.interchangeable, (Classes{0, 1, 1, 0, 0, 0}));
}

TEST(NodeClasses, ABroadcastAddressTellsItsNodeApart) {
  node::World world = world_of(kRouted);
  // 10.250.0.4 to 10.250.0.7 are nodes 0 to 3.
  NodeEditor(world.nodes[5]).set_route(net("10.250.0.4/30"), {.device = "eth0"});
  EXPECT_EQ(classes_of(world).interchangeable, (Classes{0, 0, 0, 1, 2, 3}));
}

TEST(NodeClasses, ANextHopInAPodCidrTellsItsNodeApart) {
  node::World world = world_of(kRouted);
  NodeEditor(world.nodes[5])
      .set_route(net("8.8.8.0/24"), {.device = "eth0", .via = node::testing::pod(2, 100)});
  EXPECT_EQ(classes_of(world).interchangeable, (Classes{0, 0, 1, 0, 0, 2}));
}

TEST(NodeClasses, WhatATableSaysOfANodeTellsItApart) {
  node::World world = world_of(kRouted);
  auto table = std::make_shared<node::ClusterTable>();
  for (node::Member member : world.nodes[0].cluster->members()) {
    if (member.name == "node-3") member.subnet = 1;
    table->add(std::move(member));
  }
  for (node::NodeState& node : world.nodes)
    NodeEditor(node).set_cluster(table);
  EXPECT_EQ(classes_of(world).interchangeable, (Classes{0, 0, 1, 0, 0, 0}));
}

TEST(NodeClasses, PodsWithTheAddressOfAServiceMakeAllNodesDiffer) {
  node::World world = world_of(kRouted);
  const auto services = std::make_shared<const node::ServiceTable>(
      node::ServiceTable::make(node::ServiceProxy::Iptables,
                               {{{node::testing::pod(2), 8080, 17}, {}}}, {})
          .value());
  for (node::NodeState& node : world.nodes)
    NodeEditor(node).set_services(services);
  EXPECT_EQ(classes_of(world).by_state.first.size(), 1u);
  EXPECT_EQ(classes_of(world).interchangeable, (Classes{0, 1, 2, 3, 4, 5}));
}

TEST(NodeClasses, NodesWithoutRoutesToAllPeersAreAlike) {
  node::World world = world_of({.encapsulation = Encapsulation::Ipip, .nodes = 6});
  for (const std::uint32_t n : {2, 3})
    for (std::uint32_t peer = 0; peer < 6; ++peer)
      if (peer != n) NodeEditor(world.nodes[n]).remove_route(pod_cidr(peer));
  EXPECT_EQ(classes_of(world).by_state.class_of, (Classes{0, 0, 1, 1, 0, 0}));
}

TEST(NodeClasses, RoutesToPeersArePartOfARelationNotOfAClass) {
  node::World world = world_of(kRouted);
  const FirstPods pods = first_pods(world, Family::Ipv4);
  NodeClasses classes(world, pods, false);
  EXPECT_EQ(classes.relation(0, 2), 0u);
  node::WorldEditor editor(world);
  for (const std::uint32_t peer : {2, 4})
    editor.node(0).set_route(pod_cidr(peer),
                             {.device = "eth0", .via = node_address(kRouted, peer)});
  ASSERT_TRUE(classes.follow(editor.take()));
  EXPECT_TRUE(classes.any_peer_routes());
  EXPECT_EQ(classes.class_of(0), classes.class_of(1));
  EXPECT_EQ(classes.relation(0, 2), classes.relation(0, 4)) << "each by its own address";
  EXPECT_NE(classes.relation(0, 2), classes.relation(0, 3));
  EXPECT_EQ(classes.relation(2, 0), 0u);
  EXPECT_EQ(classes.by_state().class_of[0], 0u);
  EXPECT_NE(classes.by_state().class_of[0], classes.by_state().class_of[1]);
}

TEST(NodeClasses, NodesWithOneAddressAreNotInterchangeable) {
  node::World world = world_of(kRouted);
  NodeEditor(world.nodes[5]).set_pod({node::testing::pod(0), 1500});
  const std::vector<bool> alone = classes_of(world).alone;
  EXPECT_TRUE(alone[0]);
  EXPECT_TRUE(alone[5]);
  EXPECT_FALSE(alone[1]);
}

TEST(NodeClasses, NodesThatChangeAlikeOneAfterTheOtherAreAlike) {
  node::World world = world_of({.encapsulation = Encapsulation::Ipip, .nodes = 6});
  const FirstPods pods = first_pods(world, Family::Ipv4);
  NodeClasses classes(world, pods, false);
  const std::uint32_t unchanged = classes.class_of(0);
  node::WorldEditor editor(world);
  std::set<std::uint32_t> changed;
  for (const std::uint32_t n : {4, 2, 5}) {
    editor.node(n).remove_device("tunl0");
    ASSERT_TRUE(classes.follow(editor.take()));
    changed.insert(classes.class_of(n));
  }
  EXPECT_EQ(changed.size(), 1u);
  EXPECT_FALSE(changed.contains(unchanged));
  EXPECT_EQ(interchangeable(classes, world), classes_of(world).interchangeable);
}

TEST(NodeClasses, AreFoundAnewWhenANodeNamesAnother) {
  node::World world = world_of(kRouted);
  const FirstPods pods = first_pods(world, Family::Ipv4);
  NodeClasses classes(world, pods, false);
  node::WorldEditor editor(world);
  editor.node(1).set_route(pod_cidr(3), {.device = "eth0", .via = node_address(kRouted, 4)});
  EXPECT_FALSE(classes.follow(editor.take()));
}

}  // namespace node_classes_test
}  // namespace overlane::path
