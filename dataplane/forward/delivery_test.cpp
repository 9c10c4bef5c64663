#include <gtest/gtest.h>

#include "dataplane/forward/forward.h"
#include "dataplane/forward/testing/walk.h"

namespace overlane::forward {
namespace delivery_test {

using node::testing::ClusterShape;
using node::testing::ip;
using node::testing::make_cluster;
using node::testing::pod;
using testing::udp;
using testing::walk;

/// Expected packet of a pod on the path between the nodes.
Outcome sent_by_node_1(const ClusterShape& shape, const Packet& packet) {
  const auto cluster = make_cluster(shape);
  node::NodeRuntime runtime;
  Outcome outcome;
  forward(cluster.nodes[0], runtime, packet, Ingress::Pod, {}, outcome);
  return outcome;
}

TEST(Forward, RoutedPodPacketLeavesBareTowardsTheGateway) {
  const Outcome outcome =
      sent_by_node_1({.encapsulation = Encapsulation::None}, udp(pod(0), pod(1)));
  ASSERT_EQ(outcome.emissions.size(), 1u);
  const Emission& emission = outcome.emissions[0];
  EXPECT_EQ(emission.egress, Egress::Uplink);
  EXPECT_EQ(emission.next_hop, ip("10.250.0.1"));
  EXPECT_FALSE(emission.packet.is_encapsulated());
  EXPECT_EQ(emission.packet.inner.ttl, 63);
}

TEST(Forward, IpipWrapsThePacketForTheNextHopOfItsRoute) {
  Packet packet = testing::without_fragmenting(udp(pod(0), pod(1)));
  packet.inner.tos = 0xb8 | 3;  // Expedited forwarding, congestion experienced.
  const Outcome outcome = sent_by_node_1({.encapsulation = Encapsulation::Ipip}, packet);
  ASSERT_EQ(outcome.emissions.size(), 1u);
  const Packet& sent = outcome.emissions[0].packet;
  EXPECT_EQ(sent.encapsulation, Encapsulation::Ipip);
  EXPECT_EQ(sent.outer, (IpFields{.source = ip("10.250.0.4"),
                                  .destination = ip("10.250.0.5"),
                                  .total_length = 120,
                                  .dont_fragment = true,  // Inherited.
                                  .protocol = kIpip,
                                  // TTL of the inner packet, after this node's decrement.
                                  .ttl = 63,
                                  .tos = 2}));  // No DSCP; CE goes out as ECT(0).
  EXPECT_EQ(outcome.emissions[0].next_hop, ip("10.250.0.5"));
}

TEST(Forward, VxlanHasItsOwnHopLimitNoDfAndAPortPerFlow) {
  const ClusterShape shape{.encapsulation = Encapsulation::Vxlan};
  Packet packet = testing::without_fragmenting(udp(pod(0), pod(1)));
  packet.inner.ttl = 9;
  const Outcome outcome = sent_by_node_1(shape, packet);
  ASSERT_EQ(outcome.emissions.size(), 1u);
  const Packet& sent = outcome.emissions[0].packet;
  EXPECT_EQ(sent.encapsulation, Encapsulation::Vxlan);
  EXPECT_EQ(sent.outer, (IpFields{.source = ip("10.250.0.4"),
                                  .destination = ip("10.250.0.5"),
                                  .total_length = 150,
                                  .protocol = kUdp,
                                  .ttl = 64}));
  EXPECT_EQ(sent.vni, 4096u);
  EXPECT_EQ(sent.outer_destination_port, 4789);
  EXPECT_GE(sent.outer_source_port, 32768);
  EXPECT_LT(sent.outer_source_port, 60999);

  Packet other_flow = packet;
  other_flow.source_port = 40001;
  EXPECT_NE(sent_by_node_1(shape, other_flow).emissions[0].packet.outer_source_port,
            sent.outer_source_port);
}

TEST(Forward, EveryPodReachesEveryOtherPodInEveryMode) {
  const ClusterShape shapes[] = {
      {.encapsulation = Encapsulation::None, .nodes = 3},
      {.encapsulation = Encapsulation::Ipip, .nodes = 3},
      {.encapsulation = Encapsulation::Vxlan, .nodes = 3},
      {.encapsulation = Encapsulation::Ipip, .cross_subnet = true, .nodes = 4, .subnets = 2},
      {.encapsulation = Encapsulation::Vxlan, .cross_subnet = true, .nodes = 4, .subnets = 2},
  };
  for (const ClusterShape& shape : shapes) {
    const auto cluster = make_cluster(shape);
    for (std::uint32_t from = 0; from < shape.nodes; ++from) {
      for (std::uint32_t to = 0; to < shape.nodes; ++to) {
        const Packet packet = udp(pod(from), pod(to, 1));
        const auto result = walk(cluster, from, packet);
        EXPECT_FALSE(result.drop) << to_string(result.drop.value_or(Drop::RandomLoss));
        EXPECT_EQ(result.nodes.back(), to);
        Packet expected = packet;
        expected.inner.ttl = from == to ? 63 : 62;
        EXPECT_EQ(result.packet, expected);
      }
    }
  }
}

TEST(Forward, CrossSubnetTunnelsOnlyBetweenSubnets) {
  const ClusterShape shape{
      .encapsulation = Encapsulation::Ipip, .cross_subnet = true, .nodes = 3, .subnets = 2};
  const Outcome same = sent_by_node_1(shape, udp(pod(0), pod(2)));
  const Outcome other = sent_by_node_1(shape, udp(pod(0), pod(1)));
  EXPECT_EQ(same.emissions.at(0).packet.encapsulation, Encapsulation::None);
  EXPECT_EQ(same.emissions.at(0).next_hop, ip("10.250.0.6"));
  EXPECT_EQ(other.emissions.at(0).packet.encapsulation, Encapsulation::Ipip);
}

}  // namespace delivery_test
}  // namespace overlane::forward
