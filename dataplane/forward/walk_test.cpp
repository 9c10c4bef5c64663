#include "dataplane/forward/walk.h"

#include <gtest/gtest.h>

#include "dataplane/forward/testing/walk.h"

namespace overlane::forward {

namespace walk_test {

using node::testing::make_cluster;
using node::testing::pod;
using testing::udp;
using testing::without_fragmenting;
using Nodes = std::vector<std::uint32_t>;

constexpr std::uint16_t kTooLong = 1500;  // Bytes; too long with a tunnel's headers.

TEST(Walk, FollowsAPacketToItsPodAndTellsEveryStep) {
  const auto cluster = make_cluster({.nodes = 3});
  const Walk walk = testing::walk(cluster, 0, udp(pod(0), pod(2)));
  EXPECT_TRUE(walk.delivered());
  EXPECT_EQ(walk.nodes, (Nodes{0, 2}));
  EXPECT_EQ(walk.steps.front().place, cluster.nodes[0].member().name);
  EXPECT_EQ(walk.steps.back().place, cluster.nodes[2].member().name);
}

TEST(Walk, EachFragmentReachesItsEndBeforeTheNextOne) {
  const auto cluster = make_cluster({.encapsulation = Encapsulation::Vxlan});
  const Walk walk = testing::walk(cluster, 0, udp(pod(0), pod(1), kTooLong));
  EXPECT_TRUE(walk.delivered());
  EXPECT_EQ(walk.nodes, (Nodes{0, 1, 1}));
}

TEST(Walk, APacketThatIsTooBigIsDroppedAndItsSenderTold) {
  const auto cluster = make_cluster({.encapsulation = Encapsulation::Vxlan});
  WalkSender sender(cluster.nodes, cluster.fabric);
  const Walk lost = sender.send(0, without_fragmenting(udp(pod(0), pod(1), kTooLong)));
  EXPECT_FALSE(lost.delivered());
  EXPECT_EQ(lost.nodes, (Nodes{0}));
  EXPECT_TRUE(sender.got_packet_too_big());
  EXPECT_TRUE(sender.send(0, udp(pod(0), pod(1))).delivered());
}

TEST(Walk, ForItsOutcomeAloneKeepsNoStepsAndTeachesNodesNothing) {
  const auto cluster = make_cluster({.encapsulation = Encapsulation::Vxlan, .nodes = 3});
  const node::InstanceOwners owners(cluster.fabric);
  const std::set<std::uint32_t> stopped{2};
  WalkSender sender(cluster.nodes, cluster.fabric,
                    {.outcome_only = true, .owners = &owners, .stopped = &stopped});
  const Packet too_long = without_fragmenting(udp(pod(0), pod(1), kTooLong));
  for (int i = 0; i < 2; ++i) {
    const Walk lost = sender.send(0, too_long);
    EXPECT_EQ(lost.drop, testing::walk(cluster, 0, too_long).drop);
    EXPECT_TRUE(lost.steps.empty());
    EXPECT_FALSE(sender.got_packet_too_big());
  }
  const Walk delivered = sender.send(0, udp(pod(0), pod(1)));
  EXPECT_TRUE(delivered.delivered());
  EXPECT_EQ(delivered.nodes, (Nodes{0, 1}));
  EXPECT_EQ(delivered.routed_to, (Nodes{1}));
  EXPECT_EQ(sender.send(0, udp(pod(0), pod(2))).drop, Drop::NodeGone);
  EXPECT_EQ(sender.send(2, udp(pod(2), pod(0))).drop, Drop::NodeGone);
}

}  // namespace walk_test

}  // namespace overlane::forward
