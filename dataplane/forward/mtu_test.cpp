#include <gtest/gtest.h>

#include "dataplane/forward/forward.h"
#include "dataplane/forward/testing/walk.h"
#include "dataplane/node/state/world.h"

namespace overlane::forward {
namespace mtu_test {

using node::NodeState;
using node::testing::ClusterShape;
using node::testing::ip;
using node::testing::make_cluster;
using node::testing::net;
using node::testing::pod;
using testing::udp;
using testing::without_fragmenting;

constexpr auto kNone = Encapsulation::None;
constexpr auto kIp = Encapsulation::Ipip;
constexpr auto kVx = Encapsulation::Vxlan;

Outcome send(const NodeState& state, node::NodeRuntime& runtime, const Packet& packet,
             Ingress ingress = Ingress::Pod, Picos now = {}) {
  Outcome outcome;
  forward(state, runtime, packet, ingress, now, outcome);
  return outcome;
}

Outcome send(const NodeState& state, const Packet& packet, Ingress ingress = Ingress::Pod) {
  node::NodeRuntime runtime;
  return send(state, runtime, packet, ingress);
}

struct Fragment {
  std::uint16_t offset;
  std::uint32_t length;
  bool more;
  auto operator<=>(const Fragment&) const = default;
};

std::vector<Fragment> inner_fragments(const Outcome& outcome) {
  std::vector<Fragment> fragments;
  for (const Emission& emission : outcome.emissions) {
    const IpFields& header = emission.packet.inner;
    fragments.push_back({header.fragment_offset, header.total_length, header.more_fragments});
  }
  return fragments;
}

TEST(Mtu, TheLargestPacketThatFitsIsTheLinkMinusTheOverhead) {
  for (const Encapsulation encapsulation : {kNone, kIp, kVx}) {
    const auto cluster = make_cluster({.encapsulation = encapsulation});
    const auto largest = static_cast<std::uint16_t>(1500 - overhead(encapsulation));
    const auto fits = send(cluster.nodes[0], without_fragmenting(udp(pod(0), pod(1), largest)));
    EXPECT_FALSE(fits.drop);
    EXPECT_EQ(fits.emissions.at(0).packet.outermost().total_length, 1500);

    const auto packet =
        without_fragmenting(udp(pod(0), pod(1), static_cast<std::uint16_t>(largest + 1)));
    const auto too_large = send(cluster.nodes[0], packet);
    EXPECT_EQ(too_large.drop, Drop::MtuExceeded);
    ASSERT_EQ(too_large.emissions.size(), 1u);
    const Emission& answer = too_large.emissions[0];
    EXPECT_TRUE(answer.is_reply);
    EXPECT_EQ(answer.egress, Egress::Pod);
    EXPECT_EQ(answer.packet.inner.source, ip("10.250.0.4"));
    EXPECT_EQ(answer.packet.inner.destination, pod(0));
    EXPECT_EQ(answer.packet.inner.total_length, 576);
    EXPECT_EQ(answer.packet.inner.tos, 0xc0);
    EXPECT_EQ(answer.packet.icmp, (IcmpError{.type = 3,
                                             .code = 4,
                                             .next_hop_mtu = largest,
                                             .quoted_source = pod(0),
                                             .quoted_destination = pod(1),
                                             .quoted_protocol = kUdp,
                                             .quoted_source_port = 40000,
                                             .quoted_destination_port = 53}));
  }
}

TEST(Mtu, WithoutDfTheInnerPacketIsCutForTheTunnelAndEachFragmentWrapped) {
  const auto cluster = make_cluster({.encapsulation = kIp});
  Packet packet = udp(pod(0), pod(1), 3000);
  packet.inner.identification = 99;
  const auto outcome = send(cluster.nodes[0], packet);
  // 1480 - 20 = 1460 bytes fit, 1456 of them in multiples of 8.
  EXPECT_EQ(inner_fragments(outcome),
            (std::vector<Fragment>{{0, 1476, true}, {1456, 1476, true}, {2912, 88, false}}));
  for (const Emission& emission : outcome.emissions) {
    EXPECT_EQ(emission.packet.inner.identification, 99);
    EXPECT_EQ(emission.packet.outer.total_length, emission.packet.inner.total_length + 20);
    EXPECT_FALSE(emission.packet.outer.is_fragment());
  }
  EXPECT_EQ(outcome.emissions[0].packet.destination_port, 53);
  EXPECT_EQ(outcome.emissions[1].packet.destination_port, 0) << "a later fragment has no ports";
}

TEST(Mtu, TheLastFragmentMayBeLongerThanAMultipleOfEight) {
  const auto cluster = make_cluster({.encapsulation = kVx});
  // A fragment has room for 1430 bytes: the first one carries 1424, the second one the other 1430.
  const auto outcome = send(cluster.nodes[0], udp(pod(0), pod(1), 20 + 1424 + 1430));
  EXPECT_EQ(inner_fragments(outcome),
            (std::vector<Fragment>{{0, 1444, true}, {1424, 1450, false}}));
}

TEST(Mtu, AFragmentIsCutAgainAndKeepsItsPlace) {
  const auto cluster = make_cluster({.encapsulation = kVx});
  Packet packet = udp(pod(0), pod(1), 20 + 1456);
  packet.inner.fragment_offset = 800;
  packet.inner.more_fragments = true;
  EXPECT_EQ(inner_fragments(send(cluster.nodes[0], packet)),
            (std::vector<Fragment>{{800, 1444, true}, {2224, 52, true}}));
}

TEST(Mtu, TheRoutesOwnMtuCountsWhenItIsSmaller) {
  auto cluster = make_cluster({.encapsulation = kNone});
  node::NodeEditor(cluster.nodes[0])
      .set_route(net("100.96.2.0/24"), {.device = "eth0", .via = ip("10.250.0.1"), .mtu = 1000});
  const auto outcome = send(cluster.nodes[0], without_fragmenting(udp(pod(0), pod(1), 1001)));
  EXPECT_EQ(outcome.drop, Drop::MtuExceeded);
  EXPECT_EQ(outcome.emissions.at(0).packet.icmp->next_hop_mtu, 1000);
}

TEST(Mtu, AnOldPodWithASmallerMtuIsHeardOfThroughItsNode) {
  auto cluster = make_cluster({.encapsulation = kNone});
  cluster.nodes[1].pods[0].mtu = 1480;
  const Packet packet = without_fragmenting(udp(pod(0), pod(1), 1500));
  const auto outcome = send(cluster.nodes[1], packet, Ingress::Uplink);
  EXPECT_EQ(outcome.drop, Drop::MtuExceeded);
  EXPECT_EQ(outcome.emissions.at(0).egress, Egress::Uplink);
  EXPECT_EQ(outcome.emissions.at(0).packet.inner.destination, pod(0));
  EXPECT_EQ(outcome.emissions.at(0).packet.icmp->next_hop_mtu, 1480);
}

TEST(Mtu, TheAnswerToARemotePodTravelsThroughTheTunnelFromItsAddress) {
  auto cluster = make_cluster({.encapsulation = kIp});
  cluster.nodes[1].pods[0].mtu = 1000;
  Packet packet = without_fragmenting(udp(pod(0), pod(1), 1400));
  const auto sent = send(cluster.nodes[0], packet);
  const auto outcome = send(cluster.nodes[1], sent.emissions.at(0).packet, Ingress::Uplink);
  EXPECT_EQ(outcome.drop, Drop::MtuExceeded);
  const Packet& answer = outcome.emissions.at(0).packet;
  EXPECT_EQ(answer.encapsulation, kIp);
  EXPECT_EQ(answer.inner.source, ip("100.96.2.1"));
  EXPECT_EQ(answer.outer.destination, ip("10.250.0.4"));
}

/// A tunnel device with the MTU of the link, so that outer packets do not fit the link.
NodeState with_tunnel_mtu(Encapsulation encapsulation, const char* name) {
  NodeState state = make_cluster({.encapsulation = encapsulation}).nodes[0];
  std::ranges::find(state.devices, name, &node::Device::name)->mtu = 1500;
  node::NodeEditor(state).set_route(
      net("100.96.2.0/24"), {.device = name,
                             .via = encapsulation == kIp ? ip("10.250.0.5") : ip("100.96.2.1"),
                             .onlink = true});
  return state;
}

TEST(Mtu, ANewKernelTellsThePodWhatFitsThroughTheIpipTunnel) {
  NodeState state = with_tunnel_mtu(kIp, "tunl0");
  const auto outcome = send(state, without_fragmenting(udp(pod(0), pod(1), 1500)));
  EXPECT_EQ(outcome.drop, Drop::MtuExceeded);
  EXPECT_EQ(outcome.emissions.at(0).packet.icmp->next_hop_mtu, 1480);
  EXPECT_EQ(outcome.emissions.at(0).egress, Egress::Pod);
}

TEST(Mtu, AnOldKernelDropsItAndThePodNeverHears) {
  NodeState state = with_tunnel_mtu(kIp, "tunl0");
  state.kernel.tunnel_pmtu_honours_inner_df = false;
  const auto outcome = send(state, without_fragmenting(udp(pod(0), pod(1), 1500)));
  EXPECT_EQ(outcome.drop, Drop::MtuExceeded);
  EXPECT_TRUE(outcome.emissions.empty());
}

TEST(Mtu, VxlanCutsTheOuterPacketWhateverTheInnerDf) {
  const NodeState state = with_tunnel_mtu(kVx, "vxlan.calico");
  const auto outcome = send(state, without_fragmenting(udp(pod(0), pod(1), 1500)));
  EXPECT_FALSE(outcome.drop);
  ASSERT_EQ(outcome.emissions.size(), 2u);
  EXPECT_EQ(outcome.emissions[0].packet.outer.total_length, 1500);
  EXPECT_EQ(outcome.emissions[1].packet.outer.fragment_offset, 1480);
  EXPECT_EQ(outcome.emissions[1].packet.outer.total_length, 70);
  EXPECT_EQ(outcome.emissions[0].packet.outer.identification,
            outcome.emissions[1].packet.outer.identification);
}

TEST(Mtu, TheOtherNodeHoldsOuterFragmentsUntilItHasThemAll) {
  const NodeState sender = with_tunnel_mtu(kVx, "vxlan.calico");
  auto cluster = make_cluster({.encapsulation = kVx});
  cluster.nodes[1].pods[0].mtu = 1500;
  const Packet packet = udp(pod(0), pod(1), 1500);
  const auto fragments = send(sender, packet).emissions;
  ASSERT_EQ(fragments.size(), 2u);

  node::NodeRuntime runtime;
  const auto first = send(cluster.nodes[1], runtime, fragments[1].packet, Ingress::Uplink);
  EXPECT_TRUE(first.held);
  EXPECT_TRUE(first.emissions.empty());
  const auto second = send(cluster.nodes[1], runtime, fragments[0].packet, Ingress::Uplink);
  EXPECT_FALSE(second.held);
  ASSERT_EQ(second.emissions.size(), 1u);
  Packet expected = packet;
  expected.inner.ttl = 62;
  EXPECT_EQ(second.emissions[0].packet, expected);
}

TEST(Mtu, AFragmentWhoseRestNeverComesTimesOut) {
  const NodeState sender = with_tunnel_mtu(kVx, "vxlan.calico");
  const auto cluster = make_cluster({.encapsulation = kVx});
  const auto fragments = send(sender, udp(pod(0), pod(1), 1500)).emissions;
  node::NodeRuntime runtime;
  EXPECT_TRUE(send(cluster.nodes[1], runtime, fragments[0].packet, Ingress::Uplink).held);
  const auto late =
      send(cluster.nodes[1], runtime, fragments[1].packet, Ingress::Uplink, seconds(30));
  EXPECT_TRUE(late.held);
  EXPECT_EQ(runtime.reassembly.expire(seconds(30)).at(0).fragments, 1);
}

TEST(Mtu, FragmentsOfAPodsPacketPassThroughOneByOne) {
  const auto cluster = make_cluster({.encapsulation = kNone});
  Packet packet = udp(pod(0), pod(1), 820);
  packet.inner.more_fragments = true;
  const auto outcome = send(cluster.nodes[1], packet, Ingress::Uplink);
  EXPECT_FALSE(outcome.held);
  EXPECT_EQ(outcome.emissions.at(0).egress, Egress::Pod);
}

/// "Fragmentation needed" from a router about the tunnel packets from node-1 to node-2.
Packet router_says(std::uint16_t mtu) {
  Packet icmp{.inner = {.source = ip("10.250.0.1"),
                        .destination = ip("10.250.0.4"),
                        .total_length = 576,
                        .protocol = kIcmp}};
  icmp.icmp = IcmpError{.type = 3,
                        .code = 4,
                        .next_hop_mtu = mtu,
                        .quoted_source = ip("10.250.0.4"),
                        .quoted_destination = ip("10.250.0.5"),
                        .quoted_protocol = kIpip};
  return icmp;
}

TEST(Mtu, TheNodeLearnsThePathMtuOfItsTunnelAndPassesItOnToThePod) {
  const auto cluster = make_cluster({.encapsulation = kIp});
  const Packet packet = without_fragmenting(udp(pod(0), pod(1), 1480));
  node::NodeRuntime runtime;
  EXPECT_FALSE(send(cluster.nodes[0], runtime, packet).drop);
  const auto learned = send(cluster.nodes[0], runtime, router_says(1400), Ingress::Uplink);
  EXPECT_EQ(learned.emissions.at(0).egress, Egress::Host);

  const auto now_small = send(cluster.nodes[0], runtime, packet);
  EXPECT_EQ(now_small.drop, Drop::MtuExceeded);
  EXPECT_EQ(now_small.emissions.at(0).packet.icmp->next_hop_mtu, 1380);
  EXPECT_FALSE(send(cluster.nodes[0], runtime, packet, Ingress::Pod, seconds(600)).drop)
      << "after ten minutes it is forgotten";
}

TEST(Mtu, ALearntPathMtuDoesNotCountForWhatIsOnlyForwarded) {
  const auto cluster = make_cluster({.encapsulation = kNone});
  node::NodeRuntime runtime;
  runtime.path_mtus.learn(pod(1), 1000, {});
  EXPECT_FALSE(
      send(cluster.nodes[0], runtime, without_fragmenting(udp(pod(0), pod(1), 1500))).drop);
  const auto own = send(cluster.nodes[0], runtime,
                        without_fragmenting(udp(ip("10.250.0.4"), pod(1), 1500)), Ingress::Host);
  EXPECT_EQ(own.drop, Drop::MtuExceeded);
  EXPECT_TRUE(own.emissions.empty()) << "the node's socket hears of it without ICMP";
}

TEST(Mtu, IcmpForSomeoneElsesPacketTeachesNothing) {
  const auto cluster = make_cluster({.encapsulation = kIp});
  node::NodeRuntime runtime;
  Packet icmp = router_says(1400);
  icmp.icmp->quoted_source = ip("10.250.0.6");
  send(cluster.nodes[0], runtime, icmp, Ingress::Uplink);
  EXPECT_EQ(runtime.path_mtus.size(), 0u);
}

TEST(Mtu, WhatWireguardSealsSaysWhereItsPaddingEnds) {
  for (const Encapsulation encapsulation : {Encapsulation::Wireguard, Encapsulation::Vxlan}) {
    const bool seals = encapsulation == Encapsulation::Wireguard;
    NodeState state = make_cluster({.encapsulation = encapsulation}).nodes[0];
    const auto sealing_mtu = [&](const Packet& packet) {
      node::NodeRuntime runtime;
      Outcome outcome;
      forward(state, runtime, packet, Ingress::Pod, {}, outcome);
      return outcome.emissions.at(0).sealing_mtu;
    };
    EXPECT_EQ(sealing_mtu(udp(pod(0), pod(1))), seals ? 1440u : 0u);
    EXPECT_EQ(sealing_mtu(udp(pod(0), pod(0, 1))), 0u);
    auto match = node::lookup(state, pod(1));
    match->route.mtu = 1300;
    node::NodeEditor(state).set_route(match->destination, match->route);
    EXPECT_EQ(sealing_mtu(udp(pod(0), pod(1))), seals ? 1300u : 0u);
  }
}

}  // namespace mtu_test
}  // namespace overlane::forward
