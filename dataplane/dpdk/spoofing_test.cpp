#include <gtest/gtest.h>

#include "dataplane/dpdk/slow/node_links.h"
#include "dataplane/dpdk/testing/wired_node.h"
#include "dataplane/node/testing/cluster.h"
#include "dataplane/wire/address_resolution.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::dpdk {
namespace spoofing_test {

using node::testing::make_cluster;
using node::testing::pod;
using node::testing::pod_v6;
using testing::Bytes;
using testing::packet;
using testing::WiredNode;

constexpr MacAddress kThief{{2, 0xbb}};

const node::NodeState& state() {
  static const auto one = make_cluster({.nodes = 3}).nodes[0];
  return one;
}

/// A packet from the first pod to a pod of a peer.
Bytes own_packet(Family family) {
  return family == Family::Ipv4 ? packet(pod(0), pod(1)) : packet(pod_v6(0), pod_v6(1));
}
IpAddress own_address(Family family) {
  return family == Family::Ipv4 ? pod(0) : pod_v6(0);
}

/// A message in which the attacker claims the pod's address.
Bytes claim(const MacAddress& port) {
  Bytes frame(wire::kEthernetBytes + wire::kArpBytes);
  wire::write(wire::EthernetHeader{port, kThief, wire::kEtherTypeArp}, frame);
  wire::write(wire::ArpPacket{.operation = wire::kArpRequest,
                              .sender_mac = kThief,
                              .sender = pod(0).ipv4(),
                              .target = pod(0).ipv4()},
              std::span(frame).subspan(wire::kEthernetBytes));
  return frame;
}

/// A node with two pods.
class PodNode : public ::testing::Test {
 protected:
  PodNode() {
    static int made = 0;
    node = WiredNode::make("spoof" + std::to_string(made++) + "-", state());
  }
  ~PodNode() override {
    const ForwardCounters counters = node->counters();
    EXPECT_EQ(counters.received, counters.ahead + counters.slow.full + counters.slow.neighbours);
  }

  void all_answer() {
    node->answer(node->pods());
    node->answer(node->uplink());
  }
  /// Returns the number of packets that leave through the uplink when a pod sends one.
  std::size_t sends(const Bytes& packet, const MacAddress& source) {
    node->put(node->pods(), packet, source);
    return node->answer(node->uplink()).size();
  }
  MacAddress mac(IpAddress address) { return node->pods().neighbours.mac_of(address); }
  std::int64_t spoofed() const { return node->counters().slow.drops[Drop::SourceSpoofed]; }

  std::unique_ptr<WiredNode> node;
};

class Spoofing : public PodNode, public ::testing::WithParamInterface<Family> {};

TEST_P(Spoofing, APodSendsWithItsOwnAddressAloneOnBothPaths) {
  all_answer();
  const MacAddress own = mac(own_address(GetParam()));
  const bool ahead = GetParam() == Family::Ipv4;
  EXPECT_EQ(sends(own_packet(GetParam()), own), 1u);
  EXPECT_EQ(node->counters().ahead, ahead ? 1u : 0u);
  EXPECT_EQ(sends(own_packet(GetParam()), mac(pod(0, 1))), 0u) << "with another pod's";
  EXPECT_EQ(sends(own_packet(GetParam()), kThief), 0u);
  EXPECT_EQ(sends(own_packet(GetParam()), own), 1u);
  EXPECT_EQ(spoofed(), 2);
  EXPECT_EQ(node->counters().ahead, ahead ? 2u : 0u);
}

TEST_P(Spoofing, WhatComesBeforeThePodIsKnownWaitsForItsAnswer) {
  const MacAddress own = mac(own_address(GetParam()));
  node->put(node->pods(), own_packet(GetParam()), own);
  node->put(node->pods(), own_packet(GetParam()), kThief);
  node->put(node->pods(), own_packet(GetParam()), own);
  node->forwarder->poll(node->now);
  EXPECT_EQ(node->counters().slow.full, 3u);
  EXPECT_EQ(spoofed(), 0);
  node->answer(node->pods());
  EXPECT_EQ(spoofed(), 1) << "the one that was not his";
  EXPECT_EQ(node->answer(node->uplink()).size(), 2u);
}

TEST_P(Spoofing, WhatIsFromNobodyWhoAnswersIsDropped) {
  node->put(node->pods(), own_packet(GetParam()), kThief);
  node->pass(seconds(3) - milliseconds(100));
  EXPECT_EQ(spoofed(), 0);
  node->pass(milliseconds(200));
  EXPECT_EQ(spoofed(), 1);
}

INSTANTIATE_TEST_SUITE_P(Both, Spoofing, ::testing::Values(Family::Ipv4, Family::Ipv6),
                         [](const auto& test) {
                           return test.param == Family::Ipv4 ? "Ipv4" : "Ipv6";
                         });

class Stealing : public PodNode {};

TEST_F(Stealing, AnAddressIsNotTakenFromAPodThatAnswers) {
  all_answer();
  node->now += seconds(2);
  ASSERT_TRUE(node->pods().wire.put(claim(node->pods().port.mac())));
  all_answer();
  EXPECT_EQ(sends(own_packet(Family::Ipv4), kThief), 0u);
  EXPECT_EQ(sends(own_packet(Family::Ipv4), mac(pod(0))), 1u);
  const std::uint64_t ahead = node->counters().ahead;
  node->put(node->uplink(), packet(pod(1), pod(0)), {{2, 9}});
  const auto frames = node->poll(node->pods());
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(wire::parse_ethernet(frames[0])->destination, mac(pod(0)));
  EXPECT_EQ(node->counters().ahead, ahead + 1);
}

TEST_F(Stealing, APodThatComesBackWithAnotherMacIsThereThreeSecondsLater) {
  all_answer();
  node->now += seconds(2);
  node->put(node->pods(), own_packet(Family::Ipv4), kThief);
  node->pass(seconds(4));
  EXPECT_EQ(spoofed(), 1) << "while the old one was asked";
  node->pods().neighbours = {};
  mac(pod(0, 1));
  const MacAddress fresh = mac(pod(0));
  node->put(node->pods(), own_packet(Family::Ipv4), fresh);
  node->answer(node->pods());
  EXPECT_EQ(node->answer(node->uplink()).size(), 1u);
  EXPECT_EQ(spoofed(), 1);
}

TEST(UnresolvedSources, AreKeptInOrderUpToABoundOfEach) {
  UnresolvedSources waiting;
  for (std::size_t i = 0; i < UnresolvedSources::kMaxOfOne; ++i)
    EXPECT_TRUE(waiting.keep(pod(0), Bytes{static_cast<std::uint8_t>(i)}));
  EXPECT_FALSE(waiting.keep(pod(0), Bytes{99}));
  EXPECT_TRUE(waiting.keep(pod(0, 1), Bytes{99}));
  EXPECT_EQ(waiting.size(), UnresolvedSources::kMaxOfOne + 1);
  std::vector<std::uint8_t> order;
  waiting.release([](IpAddress source) { return source == pod(0); },
                  [&](IpAddress, std::span<const std::uint8_t> frame) {
                    if (frame[0] == 3) waiting.keep(pod(0), frame);
                    order.push_back(frame[0]);
                  });
  EXPECT_EQ(order.size(), UnresolvedSources::kMaxOfOne);
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(waiting.size(), 2u) << "one came back, one was not asked for";
}

}  // namespace spoofing_test
}  // namespace overlane::dpdk
