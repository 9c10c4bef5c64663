#include "topologies/path/reach/reachability.h"

#include <gtest/gtest.h>

#include "topologies/graph/testing/shoots.h"
#include "topologies/path/testing/walked_pairs.h"

namespace overlane::path {

namespace reachability_test {

using node::WorldEditor;
using node::testing::net;
using node::testing::node_address;
using node::testing::pod;
using node::testing::pod_cidr;
using testing::world_of;

const node::testing::ClusterShape kRouted{.nodes = 8, .subnets = 2};
const node::testing::ClusterShape kIpip{
    .encapsulation = Encapsulation::Ipip, .nodes = 8, .subnets = 2};

constexpr std::uint64_t kPairs = 8 * 7;

TEST(Reachability, EqualsAllPairsWalkedAfterRandomChanges) {
  const testing::Followed followed = testing::follow_random_changes(0, 4, 10);
  EXPECT_GT(followed.delivered, followed.pairs / 4);
  EXPECT_GT(followed.changes, 2 * followed.updates);
  EXPECT_LT(followed.walks_of_updates, followed.pairs / 2) << "pairs that no change concerns";
  EXPECT_LT(followed.walks_of_fresh, followed.pairs * 2 / 3) << "no nodes are interchangeable";
}

TEST(Reachability, CountsWhatIsDeliveredAndWhatIsDropped) {
  node::World world = world_of(kRouted);
  Reachability reachability(world);
  EXPECT_EQ(reachability.delivered(), kPairs);
  WorldEditor editor(world);
  editor.fabric().remove_route(0, pod_cidr(2));
  const auto changes = reachability.update(editor.take());
  EXPECT_EQ(changes.size(), 7u);
  EXPECT_EQ(
      changes.front(),
      (PairChange{
          .from = 0, .to = 2, .before = {true, std::nullopt}, .now = {true, Drop::FabricNoRoute}}));
  EXPECT_EQ(reachability.of(3, 2), Drop::FabricNoRoute);
  EXPECT_EQ(reachability.of(2, 3), std::nullopt);
  EXPECT_EQ(reachability.delivered(), kPairs - 7);
  EXPECT_EQ(reachability.drops()[Drop::FabricNoRoute], 7);
}

TEST(Reachability, AChangeReachesThePairsThatPassTheNode) {
  node::World world = world_of(kRouted);
  // Nodes 0 and 2 are neighbours.
  node::NodeEditor(world.nodes[0])
      .set_route(pod_cidr(5), {.device = "eth0", .via = node_address(kRouted, 2)});
  Reachability reachability(world);
  EXPECT_EQ(reachability.of(0, 5), std::nullopt);
  WorldEditor editor(world);
  editor.node(2).set_sysctls({.ip_forward = false});
  reachability.update(editor.take());
  EXPECT_EQ(reachability.of(0, 5), Drop::NotLocal);
  EXPECT_EQ(reachability.of(1, 5), std::nullopt);
  editor.node(2).set_sysctls({});
  editor.stop_node(2);
  reachability.update(editor.take());
  EXPECT_EQ(reachability.of(0, 5), Drop::NodeGone);
}

TEST(Reachability, AChangeReachesThePairsWhosePacketsAnInstanceRefuses) {
  node::World world = world_of(kRouted);
  node::FabricEditor(world.fabric)
      .set_route(0, pod_cidr(5), {.target = node::FabricTarget::Instance, .instance = 2});
  node::Instance instance = world.fabric.instances[2];
  instance.source_destination_check = true;
  node::FabricEditor(world.fabric).set_instance(2, instance);
  Reachability reachability(world);
  EXPECT_EQ(reachability.of(1, 5), Drop::FabricDestinationCheck);
  WorldEditor editor(world);
  instance.source_destination_check = false;
  editor.fabric().set_instance(2, instance);
  reachability.update(editor.take());
  EXPECT_EQ(reachability.of(1, 5), Drop::TtlExpired) << "between instance 2 and the router";
}

TEST(Reachability, AChangeReachesThePairsWhoseNextHopGetsAnotherOwner) {
  node::World world = world_of(kRouted);
  // Nodes 4 and 2 are neighbours, and send to each other.
  node::NodeEditor(world.nodes[4])
      .set_route(pod_cidr(5), {.device = "eth0", .via = node_address(kRouted, 2)});
  node::NodeEditor(world.nodes[2])
      .set_route(pod_cidr(5), {.device = "eth0", .via = node_address(kRouted, 4)});
  Reachability reachability(world);
  EXPECT_EQ(reachability.of(4, 5), Drop::TtlExpired);
  WorldEditor editor(world);
  node::Instance instance = world.fabric.instances[0];
  instance.addresses.push_back(node_address(kRouted, 4));
  editor.fabric().set_instance(0, instance);
  reachability.update(editor.take());
  EXPECT_EQ(reachability.of(4, 5), std::nullopt) << "by nodes 2 and 0";
}

TEST(Reachability, AChangeReachesThePairsWhoseNextHopMovesIntoTheirSubnet) {
  node::World world = world_of(kRouted);
  node::NodeEditor(world.nodes[0])
      .set_route(pod_cidr(5), {.device = "eth0", .via = node_address(kRouted, 3)});
  node::NodeEditor(world.nodes[3]).set_sysctls({.ip_forward = false});
  Reachability reachability(world);
  EXPECT_EQ(reachability.of(0, 5), std::nullopt) << "by the router";
  WorldEditor editor(world);
  node::Instance instance = world.fabric.instances[3];
  instance.subnet = 0;
  editor.fabric().set_instance(3, instance);
  reachability.update(editor.take());
  EXPECT_EQ(reachability.of(0, 5), Drop::NotLocal);
}

TEST(Reachability, StoppedNodesNeitherSendNorReceive) {
  node::World world = world_of(kIpip);
  Reachability reachability(world);
  WorldEditor editor(world);
  editor.stop_node(3);
  EXPECT_EQ(reachability.update(editor.take()).size(), 14u);
  EXPECT_EQ(reachability.drops()[Drop::NodeGone], 14);
  editor.start_node(3);
  reachability.update(editor.take());
  EXPECT_EQ(reachability.delivered(), kPairs);
}

TEST(Reachability, NodesWithoutPodsOfTheFamilyAreNotProbed) {
  node::World world = world_of(kRouted);
  Reachability ipv4(world);
  Reachability ipv6(world, {.family = Family::Ipv6});
  WorldEditor editor(world);
  for (const std::uint32_t number : {0, 1})
    editor.end_pod({4, pod(4, number)});
  const auto change = editor.take();
  ipv4.update(change);
  EXPECT_FALSE(ipv4.outcome(4, 0).is_probed);
  EXPECT_FALSE(ipv4.outcome(4, 4).is_probed);
  EXPECT_EQ(ipv4.not_probed(), 14u);
  EXPECT_EQ(ipv4.delivered(), kPairs - 14);
  ipv6.update(change);
  EXPECT_EQ(ipv6.not_probed(), 0u);
  EXPECT_EQ(ipv6.delivered(), kPairs);
}

TEST(Reachability, PacketsOfThePodsMtuFindLinksThatAreTooSmall) {
  node::World world = world_of(kIpip);
  Reachability small(world);
  Reachability large(world, {.bytes = 0});
  EXPECT_EQ(large.delivered(), kPairs);
  WorldEditor editor(world);
  editor.fabric().set_mtu(1400);
  const auto change = editor.take();
  EXPECT_TRUE(small.update(change).empty());
  EXPECT_EQ(large.update(change).size(), kPairs);
  EXPECT_EQ(large.drops()[Drop::FabricMtuExceeded], static_cast<std::int64_t>(kPairs));
}

TEST(Reachability, WalksFewPairs) {
  constexpr std::uint32_t kNodes = 100;
  node::World world = world_of(graph::testing::routed_shoot(), kNodes);
  Reachability reachability(world);
  EXPECT_EQ(reachability.delivered(), kNodes * (kNodes - 1));
  EXPECT_EQ(reachability.walks(), 4u) << "within and between two zones";
  WorldEditor editor(world);
  editor.node(7).remove_device("eth0");
  reachability.update(editor.take());
  EXPECT_EQ(reachability.last_walks(), 4u) << "to and from each zone";
  for (const std::uint32_t table : {0, 1})
    editor.fabric().remove_route(table, world.nodes[9].member().ipv4->pod_cidr);
  reachability.update(editor.take());
  EXPECT_EQ(reachability.last_walks(), 3u) << "from each zone, and from node 7";
  // Nodes 7 and 9 are like no other now.
  editor.fabric().set_mtu(90);
  reachability.update(editor.take());
  EXPECT_LE(reachability.last_walks(), 4u * 4u);
  EXPECT_EQ(reachability.delivered(), 0u);
}

TEST(Reachability, GroupsPairsByTheClassesOfTheirNodes) {
  node::World world = world_of(kIpip);
  for (const std::uint32_t n : {1, 3}) {
    node::Device tunnel = *world.nodes[n].find_device("tunl0");
    tunnel.up = false;
    node::NodeEditor(world.nodes[n]).set_device(tunnel);
  }
  const PairGroups grouped = Reachability(world).groups();
  EXPECT_EQ(grouped.classes.class_of, (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 2, 0, 2}));
  EXPECT_EQ(grouped.classes.first, (std::vector<std::uint32_t>{0, 1, 5}));
  EXPECT_EQ(grouped.classes.sizes, (std::vector<std::uint32_t>{4, 2, 2}));
  std::uint64_t pairs = 0;
  for (const PairGroup& group : grouped.groups) {
    const bool ends_in_tunnel = group.receiver_class == 1 && group.sender_class != 1;
    EXPECT_EQ(group.drop.has_value(), group.sender_class == 1 || group.receiver_class == 1);
    if (ends_in_tunnel) {
      EXPECT_EQ(group.drop, Drop::TunnelUnknown);
      EXPECT_EQ(group.pairs, group.sender_class == 0 ? 8u : 4u);
    }
    pairs += group.pairs;
  }
  EXPECT_EQ(pairs, kPairs);
  EXPECT_EQ(grouped.groups.front().example, (std::pair<std::uint32_t, std::uint32_t>{0, 2}));
}

}  // namespace reachability_test

namespace detours_test {

TEST(Detours, HaveNumbersUntilNoneIsLeft) {
  Detours detours;
  EXPECT_EQ(detours.number({}), Detours::kNone);
  std::uint32_t node = 0;
  while (const auto number = detours.number({.nodes = {node}}))
    EXPECT_EQ(*number, ++node);
  EXPECT_EQ(node + 1, Detours::kAny);
  EXPECT_EQ(detours.number({.nodes = {4}}), 5);
  EXPECT_EQ(detours.all().at(5).nodes, (std::vector<std::uint32_t>{4}));
  detours.clear();
  EXPECT_EQ(detours.number({.asks_for_sender = true}), 1);
  EXPECT_EQ(detours.number({}), Detours::kNone);
}

}  // namespace detours_test

}  // namespace overlane::path
