#include "sim/run/run.h"

#include <gtest/gtest.h>

#include "sim/host/machine.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace run_test {

using namespace testing;
using model::TrafficResult;

Network without_jitter(Network network) {
  network.paths.jitter = {};
  return network;
}

TEST(Run, ALoneDatagramTakesTwoSerialisationsAndOneLatency) {
  const Measurement result = measure(without_jitter(network()), {datagrams(1'000'000, 1000)},
                                     {.duration = milliseconds(100), .start_spread = {}});
  const Picos frame = host::frame_time(1028, {10'000'000'000});
  EXPECT_EQ(frame, picoseconds((1028 + 38) * 800));
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_EQ(traffic.packets.sent, 13) << "one per 8 ms, the first at 0";
  EXPECT_EQ(traffic.latency_ns.min(), (microseconds(20) + frame * 2).whole_nanoseconds());
  EXPECT_EQ(traffic.latency_ns.max(), traffic.latency_ns.min());
}

TEST(Run, MachinesNeedNoCoresWhereCpuTimeIsFree) {
  Network network = testing::network();
  for (host::Machine& machine : network.machines)
    machine.cores = 0;
  const Measurement result = measure(network, {datagrams(1'000'000, 1000), bulk(), requests()});
  for (const TrafficResult& traffic : result.traffic)
    EXPECT_GT(traffic.goodput_bps, 0) << traffic.name;
}

TEST(Run, ZonesAreFurtherApartThanNeighbours) {
  Network network = without_jitter(testing::network({.subnets = 2}));
  network.fabric.subnets[1].zone = "zone-2";
  const Measurement result = measure(network, {datagrams(1'000'000, 1000)});
  EXPECT_GT(result.traffic[0].latency_ns.min(), 500'000);
  EXPECT_LT(result.traffic[0].latency_ns.max(), 502'000);
}

TEST(Run, DatagramsComeAtExactlyTheRateAsked) {
  const Measurement result = measure(network(), {datagrams(123'456'789, 777)},
                                     {.duration = milliseconds(200), .warm_up = milliseconds(100)});
  EXPECT_PRED3(near, result.traffic[0].goodput_bps, 123'456'789, 777 * 8 * 10) << "± one datagram";
  EXPECT_EQ(result.limits[0].constant, "rate 123456789 bit/s");
}

TEST(Run, WhatTheLinkCannotCarryOneSenderHoldsBack) {
  const RunOptions options{.duration = milliseconds(50), .start_spread = {}};
  const Measurement result = measure(network(), {datagrams(20'000'000'000, 1434)}, options);
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_EQ(traffic.packets.dropped, 0) << "sendto blocks";
  const std::int64_t frame = host::frame_time(1462, {10'000'000'000}).count;
  EXPECT_PRED3(near, traffic.packets.delivered, options.duration.count / frame, 150);
  EXPECT_EQ(result.limits[0].station, "link node-1 eth0");
  // A socket's 212,992 bytes hold 105 datagrams with their overhead, which wait for each other.
  EXPECT_LT(traffic.latency_ns.max(), 110 * frame / 1000 + 30'000);
}

TEST(Run, WhatManySendersSendBeyondTheLinkIsDroppedAtTheNic) {
  const RunOptions options{.duration = milliseconds(50), .start_spread = {}};
  TrafficGroup group = datagrams(1'000'000'000, 1434);
  group.flows_per_pair = 20;  // Their sockets hold twice what the NIC's queue takes.
  const Measurement result = measure(network(), {group}, options);
  const TrafficResult& traffic = result.traffic[0];
  const std::int64_t through =
      options.duration.count / host::frame_time(1462, {10'000'000'000}).count;
  constexpr std::int64_t kQueue = 1001;
  EXPECT_GT(traffic.packets.dropped, 0);
  EXPECT_EQ(traffic.drops.total(), traffic.drops[Drop::NicQueueFull]);
  EXPECT_PRED3(near, traffic.packets.dropped, traffic.packets.sent - through - kQueue, 50);
}

TEST(Run, OverloadedFragmentsStillArriveWhole) {
  TrafficGroup group = datagrams(20'000'000'000, 3000);
  group.dont_fragment = false;
  const Measurement result =
      measure(network(), {group}, {.duration = milliseconds(50), .warm_up = milliseconds(10)});
  // Three frames: 1500, 1500 and 68 bytes of IP, and 38 bytes of Ethernet around each.
  constexpr std::int64_t kWire = 1538 + 1538 + 106;
  const std::int64_t expected = 10'000'000'000 / kWire * 3000;
  EXPECT_PRED3(near, result.traffic[0].goodput_bps, expected, expected / 50);
}

TEST(Run, RequestsWaitForTheirResponses) {
  TrafficGroup group = requests();
  group.think_time = milliseconds(1);
  const Measurement result =
      measure(without_jitter(network()), {group}, {.duration = milliseconds(50)});
  const TrafficResult& traffic = result.traffic[0];
  // Two crossings of 20 µs and four small serialisations.
  EXPECT_GE(traffic.latency_ns.min(), 40'000);
  EXPECT_LE(traffic.latency_ns.quantile(90, 100), 43'000);
  EXPECT_PRED3(near, traffic.latency_ns.count(), 47, 2);
  EXPECT_EQ(result.limits[0].station, "application");
}

TEST(Run, TheSameSeedGivesTheSameResultAndAnotherSeedAnother) {
  const auto once = [](std::uint64_t seed) {
    return measure(network({.encapsulation = Encapsulation::Vxlan, .nodes = 3}),
                   {bulk({pair(0, 2), pair(1, 2)}), requests(), datagrams(100'000'000, 500)},
                   {.duration = milliseconds(30), .seed = seed});
  };
  const Measurement a = once(7);
  const Measurement b = once(7);
  const Measurement c = once(8);
  bool differs = false;
  for (std::size_t i = 0; i < a.traffic.size(); ++i) {
    EXPECT_EQ(a.traffic[i].packets, b.traffic[i].packets);
    EXPECT_EQ(a.traffic[i].latency_ns, b.traffic[i].latency_ns);
    EXPECT_EQ(a.traffic[i].goodput_bps, b.traffic[i].goodput_bps);
    EXPECT_EQ(a.traffic[i].drops, b.traffic[i].drops);
    differs |= !(a.traffic[i].latency_ns == c.traffic[i].latency_ns);
  }
  EXPECT_EQ(a.engine.events, b.engine.events);
  EXPECT_EQ(a.limits, b.limits);
  EXPECT_TRUE(differs);
}

TEST(Run, CountsFourHopsPerPacketBetweenNodes) {
  const Measurement result =
      measure(network(), {datagrams(8'000'000, 1000)}, {.duration = milliseconds(10)});
  EXPECT_EQ(result.traffic[0].packets.in_flight, 0);
  EXPECT_EQ(result.engine.packet_hops, 4 * result.traffic[0].packets.sent);
}

}  // namespace run_test
}  // namespace overlane::run
