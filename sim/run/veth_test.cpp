#include <cmath>

#include <gtest/gtest.h>

#include "sim/run/run.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace veth_test {

using namespace testing;
using cost::Stage;

const RunOptions kOptions{
    .duration = milliseconds(40), .warm_up = milliseconds(20), .start_spread = {}};

/// Two nodes that are namespaces of one machine, with everything free but one stage.
Network namespaces(Stage stage, const cost::StageCost& cost, const ClusterShape& shape = {}) {
  Network network = testing::network(shape);
  network.wire = cost::Wire::Veth;
  network.costs = only(stage, cost);
  return network;
}

std::int64_t goodput(const Network& network, const TrafficGroup& group) {
  const Measurement result = measure(network, {group}, kOptions);
  EXPECT_EQ(result.traffic[0].packets.dropped, 0);
  return result.traffic[0].goodput_bps;
}

TEST(Veth, TheCoreThatSendsAlsoTakesThePacketThroughTheReceiversStack) {
  // 2 µs on each node's side, and nothing else to do: 250,000 datagrams a second.
  const Network network = namespaces(Stage::Netfilter, {.per_skb = microseconds(2)});
  EXPECT_PRED3(near, goodput(network, datagrams(8'000'000'000, 1000)), 250'000 * 8000ll,
               20'000'000);
}

TEST(Veth, NodesShareTheMachinesCores) {
  Network network = namespaces(Stage::Netfilter, {.per_skb = microseconds(2)});
  for (host::Machine& machine : network.machines)
    machine.cores = 1;
  // There and back, on the one core: the datagrams of both directions.
  const TrafficGroup both = datagrams(8'000'000'000, 1000, {pair(0, 1), pair(1, 0)});
  const Measurement result = measure(network, {both}, kOptions);
  EXPECT_PRED3(near, result.traffic[0].goodput_bps, 250'000 * 8000ll, 20'000'000);
  EXPECT_EQ(result.node_busy_ppm, (std::vector<std::int64_t>{1'000'000, 1'000'000}));
}

TEST(Veth, ABufferCrossesWholeEvenInsideATunnel) {
  for (const Encapsulation encapsulation : {Encapsulation::None, Encapsulation::Vxlan}) {
    // 8 µs for each buffer on each side, its acknowledgement as much: 45 segments in 32 µs.
    Network network = namespaces(Stage::Netfilter, {.per_skb = microseconds(8)},
                                 {.encapsulation = encapsulation});
    const std::int64_t whole = goodput(network, bulk());
    EXPECT_GT(whole, 12'000'000'000) << to_string(encapsulation);
    for (host::Machine& machine : network.machines)
      machine.offloads.gso = false;
    EXPECT_LT(goodput(network, bulk()), whole / 20) << to_string(encapsulation);
  }
}

TEST(Veth, WithoutTheOffloadABufferIsCutInFrontOfIt) {
  Network network = namespaces(Stage::Netfilter, {.per_skb = microseconds(8)},
                               {.encapsulation = Encapsulation::Vxlan});
  const std::int64_t whole = goodput(network, bulk());
  for (host::Machine& machine : network.machines)
    machine.offloads.udp_tnl_segmentation = false;
  // The sender's side still handles one buffer, the receiver's every segment of it.
  EXPECT_LT(goodput(network, bulk()), whole / 10);
}

TEST(Veth, HasNoNicNoInterruptsAndNoLatency) {
  Network network = namespaces(Stage::WakeUp, {.per_skb = microseconds(5)});
  for (const Stage stage : {Stage::DriverSend, Stage::Interrupt, Stage::NapiReceive})
    (*network.costs)[stage].per_skb = microseconds(50);
  const Measurement result = measure(network, {requests()}, kOptions);
  EXPECT_EQ(result.traffic[0].latency_ns.quantile(1, 2), 10'000) << "each end is woken once";
}

TEST(Veth, WhatASleeperHasSentIsThroughBeforeItSleeps) {
  Network network = namespaces(Stage::WakeUp, {.per_skb = microseconds(5)});
  (*network.costs)[Stage::Sleep].per_skb = microseconds(3);
  (*network.costs)[Stage::Netfilter].per_skb = microseconds(1);
  const Measurement result = measure(network, {requests()}, kOptions);
  EXPECT_EQ(result.traffic[0].latency_ns.quantile(1, 2), 10'000 + 4'000);
}

TEST(Veth, ADatagramNeedsANewBufferForItsTunnelAndASegmentDoesNot) {
  // 4 µs for each datagram that is encapsulated: 250,000 a second.
  const Network tunnel = namespaces(Stage::Headroom, {.per_skb = microseconds(4)},
                                    {.encapsulation = Encapsulation::Vxlan});
  EXPECT_PRED3(near, goodput(tunnel, datagrams(8'000'000'000, 1000)), 250'000 * 8000ll, 20'000'000);
  const Network routed = namespaces(Stage::Headroom, {.per_skb = microseconds(4)});
  EXPECT_PRED3(near, goodput(routed, datagrams(8'000'000'000, 1000)), 8'000'000'000, 80'000'000);
  Network busy = tunnel;
  (*busy.costs)[Stage::Netfilter].per_skb = microseconds(1);
  const std::int64_t with = goodput(busy, bulk());
  (*busy.costs)[Stage::Headroom] = {};
  EXPECT_EQ(with, goodput(busy, bulk()));
}

TEST(Veth, SegmentsOfAStreamWithoutGsoFollowEachOtherMoreCheaply) {
  // 2 µs on each node's side for a datagram alone, and for an acknowledgement of two segments.
  Network network = namespaces(Stage::Netfilter, {.per_skb = microseconds(2)});
  for (host::Machine& machine : network.machines)
    machine.offloads.gso = false;
  const double per_second = 1e6 / (2 * 2 * 1.5) * 100 / cost::kBurstPercent;
  EXPECT_PRED3(near, goodput(network, bulk()), std::llround(per_second * 1448 * 8), 60'000'000);
}

TEST(Veth, StreamsThatShareACoreSendOneAfterTheOther) {
  // A core has the clients of all flows, and another one their servers.
  Network network = namespaces(Stage::Netfilter, {.per_skb = microseconds(1)});
  (*network.costs)[Stage::WakeUp].per_skb = microseconds(20);
  for (host::Machine& machine : network.machines) {
    machine.cores = 2;
    machine.offloads.gso = false;
  }
  TrafficGroup group = bulk();
  const std::int64_t one = goodput(network, group);
  group.flows_per_pair = 4;
  EXPECT_PRED3(near, goodput(network, group), one, one / 20);
}

}  // namespace veth_test
}  // namespace overlane::run
