#include <gtest/gtest.h>

#include "dataplane/dpdk/testing/wired_node.h"
#include "dataplane/neighbour/address_kind.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/node/state/world.h"
#include "dataplane/node/testing/cluster.h"
#include "dataplane/wire/address_resolution.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"

namespace overlane::dpdk {
namespace counters_test {

using node::testing::make_cluster;
using node::testing::node_address;
using node::testing::pod;
using node::testing::pod_v6;
using testing::Bytes;
using testing::packet;
using testing::WiredNode;

constexpr MacAddress kSomebody{{2, 0xcc}};
constexpr std::size_t kIcmpAt = wire::kIpv4Bytes;
constexpr std::size_t kIcmpv6At = 40;

Bytes expiring(Bytes packet) {
  packet[8] = 1;
  store_be16(&packet[10], 0);
  store_be16(&packet[10], internet_checksum(std::span(packet).first(wire::kIpv4Bytes)));
  return packet;
}

/// A node between wires. Each test checks at the end that its counters balance.
class Counters : public ::testing::Test {
 protected:
  void begin(Encapsulation encapsulation = Encapsulation::None) {
    static int made = 0;
    state = make_cluster({.encapsulation = encapsulation, .nodes = 3}).nodes[0];
    node = WiredNode::make("count" + std::to_string(made++) + "-", state);
  }
  void TearDown() override {
    expect_balanced();
    node->forwarder.reset();
    node->pods().wire.take();
    node->uplink().wire.take();
    EXPECT_EQ(node->pool.in_use(), 0u);
  }
  void expect_balanced() const {
    const ForwardCounters counters = node->counters();
    EXPECT_EQ(counters.received, counters.ahead + counters.slow.full + counters.slow.neighbours +
                                     counters.slow.refused);
    EXPECT_EQ(counters.packets_in(), counters.packets_out());
  }
  /// Sends a packet from the first pod after resolving the pod's address.
  void send(const Bytes& packet) {
    node->answer(node->pods());
    node->put(node->pods(), packet,
              node->pods().neighbours.mac_of(neighbour::source_of(packet).value()));
    node->answer(node->pods());
  }
  std::int64_t unreached() const { return node->counters().slow.drops[Drop::NoNeighbour]; }

  node::NodeState state;
  std::unique_ptr<WiredNode> node;
};

TEST_F(Counters, WhatWaitsForANeighbourIsShownAndLostWhenNobodyAnswers) {
  begin();
  send(packet(pod(0), pod(1)));
  send(packet(pod(0), pod(1)));
  EXPECT_EQ(node->counters().waiting, 2u);
  expect_balanced();
  node->pass(seconds(4));
  EXPECT_EQ(node->counters().waiting, 0u);
  EXPECT_EQ(unreached(), 2);
}

TEST_F(Counters, WhatWaitsAtTheEndIsGivenUp) {
  begin();
  node->put(node->pods(), packet(pod(0), pod(1)), kSomebody);
  node->put(node->uplink(), packet(pod(1), pod(0, 1)), kSomebody);
  node->poll(node->pods());
  EXPECT_EQ(node->counters().waiting, 2u) << "one for who sent it, one for whom it is";
  expect_balanced();
  node->forwarder->give_up_waiting();
  EXPECT_EQ(node->counters().waiting, 0u);
  EXPECT_EQ(unreached(), 2);
}

TEST_F(Counters, MessagesOfTheNodeAreNoPackets) {
  begin();
  send(packet(pod(0), pod(1)));
  node->answer(node->uplink());
  const ForwardCounters counters = node->counters();
  EXPECT_EQ(counters.to_uplink, 1u);
  EXPECT_EQ(counters.to_pods, 0u);
  EXPECT_GT(counters.links.messages_sent, 4u);
  EXPECT_EQ(counters.links.messages_lost, 0u);
  EXPECT_EQ(counters.links.messages_sent + 1,
            node->pods().port.counters().sent + node->uplink().port.counters().sent);
}

/// Pods in one subnet on AWS are such neighbours.
TEST_F(Counters, APodThatIsANeighbourHasAnAdjacencyOnceItIsKnown) {
  begin();
  node::Route on_link = node::lookup(state, pod_v6(1)).value().route;
  on_link.via.reset();
  node::NodeEditor(state).set_route(node::testing::pod_cidr_v6(1), on_link);
  const auto compiled = [&] { return *generation(std::make_shared<const node::NodeState>(state)); };
  const auto first = compiled();
  node->forwarder->replace(first, node->now);
  const Bytes sent =
      wire::ip_packet({pod_v6(0), pod_v6(1), 40'000, 5201, wire::kUdp}, 100, /*ttl=*/64);
  const auto taken = [&] {
    const std::uint64_t before = node->counters().ahead;
    send(sent);
    return node->counters().ahead - before;
  };
  EXPECT_EQ(taken(), 0u);
  EXPECT_EQ(node->answer(node->uplink()).size(), 1u) << "it waited for its neighbour";
  EXPECT_EQ(taken(), 1u);
  node->forwarder->replace(compiled(), node->now);
  EXPECT_EQ(taken(), 1u) << "the neighbour is still known";
  EXPECT_EQ(node->answer(node->uplink()).size(), 2u);
  node->pass(seconds(60));
  const auto taken_of_known_pod = [&] {
    send(sent);  // The pod has to answer again, too.
    node->now += seconds(2);
    return taken();
  };
  EXPECT_EQ(taken_of_known_pod(), 0u) << "the neighbour did not answer when it was asked again";
  node->forwarder->replace(first, node->now);
  EXPECT_EQ(taken_of_known_pod(), 0u) << "a generation that is used again has no old addresses";
}

TEST_F(Counters, AMessageThatFindsNoBufferIsNoPacketThatWasDropped) {
  begin();
  node->answer(node->pods());
  node->answer(node->uplink());
  // Fill the receive queues first.
  for (WiredNode::Side* side : {&node->pods(), &node->uplink()}) {
    while (side->wire.put(Bytes(60))) {
    }
  }
  const std::uint64_t before = node->counters().links.messages_lost;
  node->forwarder->replace(
      *generation(std::make_shared<const node::NodeState>(make_cluster({.nodes = 6}).nodes[0])),
      node->now);
  EXPECT_GT(node->counters().links.messages_lost, before);
  EXPECT_EQ(node->counters().slow.drops[Drop::CpuBacklogFull], 0);
  node->poll(node->uplink());
  node->poll(node->pods());
}

TEST_F(Counters, AMessageThatContradictsItselfIsCountedAsSuch) {
  begin();
  Bytes frame(wire::kEthernetBytes + wire::kArpBytes);
  wire::write(wire::EthernetHeader{node->pods().port.mac(), kSomebody, wire::kEtherTypeArp}, frame);
  ASSERT_TRUE(node->pods().wire.put(frame));
  node->poll(node->pods());
  EXPECT_EQ(node->counters().links.messages_malformed, 1u);
  EXPECT_EQ(node->counters().slow.neighbours, 1u);
}

TEST_F(Counters, AnErrorThatFindsNobodyIsMadeAndNotSent) {
  begin();
  // The ICMP error goes to a source whose link-layer address is not resolved.
  node->put(node->uplink(), expiring(packet(pod(1), pod(0))), kSomebody);
  node->poll(node->uplink());
  EXPECT_EQ(node->counters().slow.errors_made, 1u);
  EXPECT_EQ(node->counters().links.errors_sent, 0u);
  EXPECT_EQ(node->counters().waiting, 1u);
  node->pass(seconds(4));
  EXPECT_EQ(node->counters().links.errors_sent, 0u);
  EXPECT_EQ(node->counters().slow.errors_made, 1u) << "and nobody is told of that";
  node->answer(node->uplink());
  node->put(node->uplink(), expiring(packet(pod(1), pod(0))), kSomebody);
  EXPECT_EQ(node->answer(node->uplink()).size(), 1u);
  EXPECT_EQ(node->counters().links.errors_sent, 1u);
}

class Unanswered : public Counters {
 protected:
  /// The ICMP errors that pods receive when no neighbour on the uplink answers for `time`.
  std::vector<Bytes> told(Picos time) {
    std::vector<Bytes> packets;
    for (const Picos end = node->now + time; node->now < end;) {
      node->now += milliseconds(100);
      for (Bytes& one : node->answer(node->pods()))
        packets.push_back(std::move(one));
    }
    return packets;
  }
};

TEST_F(Unanswered, ThePodHearsThatTheHostIsUnreachable) {
  begin();
  const Bytes sent = packet(pod(0), pod(1));
  send(sent);
  EXPECT_TRUE(told(seconds(2)).empty());
  const auto packets = told(seconds(2));
  ASSERT_EQ(packets.size(), 1u);
  const auto header = wire::parse_ipv4(packets[0]);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->destination, pod(0).ipv4());
  EXPECT_EQ(packets[0][kIcmpAt], 3) << "destination unreachable";
  EXPECT_EQ(packets[0][kIcmpAt + 1], 1) << "host unreachable";
  EXPECT_EQ(packets[0][kIcmpAt + 8 + 8], sent[8] - 1) << "quoted with the hop limit it left with";
  EXPECT_EQ(node->counters().links.errors_sent, 1u);
  EXPECT_EQ(unreached(), 1);
}

TEST_F(Unanswered, InIpv6TheAddressIs) {
  begin();
  send(packet(pod_v6(0), pod_v6(1)));
  const auto packets = told(seconds(4));
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0][kIcmpv6At], 1) << "destination unreachable";
  EXPECT_EQ(packets[0][kIcmpv6At + 1], 3) << "address unreachable";
}

TEST_F(Unanswered, OneSenderHearsNoMoreThanItsLimitAllows) {
  begin();
  constexpr int kPackets = 50;
  for (int i = 0; i < kPackets; ++i)
    send(packet(pod(0), pod(1)));
  const std::size_t heard = told(seconds(4)).size();
  EXPECT_EQ(heard, 6u) << "XRLIM_BURST_FACTOR of net/ipv4/icmp.c";
  EXPECT_EQ(unreached(), kPackets);
}

TEST_F(Unanswered, OfAPacketInATunnelNobodyHears) {
  begin(Encapsulation::Ipip);
  send(packet(pod(0), pod(1)));
  EXPECT_TRUE(told(seconds(4)).empty());
  EXPECT_EQ(unreached(), 1);
  EXPECT_EQ(node->counters().slow.errors_made, 0u);
}

TEST_F(Unanswered, APodThatIsGoneIsUnreachableForTheFarSide) {
  begin();
  node->answer(node->uplink());
  node->put(node->uplink(), packet(pod(1), pod(0)), kSomebody);
  node->poll(node->uplink());
  node->pods().wire.take();
  std::vector<Bytes> packets;
  for (int i = 0; i < 40; ++i) {
    node->now += milliseconds(100);
    for (Bytes& one : node->answer(node->uplink()))
      packets.push_back(std::move(one));
  }
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0][kIcmpAt], 3);
  EXPECT_EQ(packets[0][kIcmpAt + 1], 1);
}

}  // namespace counters_test
}  // namespace overlane::dpdk
