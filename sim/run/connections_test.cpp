#include <gtest/gtest.h>

#include "dataplane/node/state/world.h"
#include "dataplane/node/testing/cluster.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace connections_test {

// Connections that are opened and closed: for each request, for each transfer.

using namespace testing;
using model::TrafficResult;

Network without_jitter() {
  Network network = testing::network();
  network.paths.jitter = {};
  return network;
}

TrafficGroup per_request() {
  TrafficGroup group = requests();
  group.connections = Connections::PerRequest;
  group.think_time = milliseconds(1);
  return group;
}

TrafficGroup transfers(Connections connections) {
  TrafficGroup group = bulk();
  group.connections = connections;
  group.transfer = Distribution::fixed(100'000);
  group.gap = Distribution::exponential(milliseconds(1).count);
  return group;
}

const RunOptions kOptions{.duration = milliseconds(100), .start_spread = {}};

TEST(Connections, ARequestOnItsOwnTakesAHandshakeLonger) {
  TrafficGroup lasting = requests();
  lasting.think_time = milliseconds(1);
  const TrafficResult keep = measure(without_jitter(), {lasting}, kOptions).traffic[0];
  const TrafficResult fresh = measure(without_jitter(), {per_request()}, kOptions).traffic[0];
  EXPECT_EQ(keep.transactions, keep.latency_ns.count());
  EXPECT_EQ(fresh.transactions, fresh.latency_ns.count());
  // The handshake's ACK leaves in front of the request: 52 bytes of IP on the link.
  constexpr std::int64_t kAck = (52 + 38) * 8 / 10;
  // The first request of the lasting connection has the handshake, too.
  EXPECT_EQ(fresh.latency_ns.max(), keep.latency_ns.max() + kAck);
  EXPECT_EQ(fresh.latency_ns.min(), fresh.latency_ns.max()) << "each is like the first";
  // SYN and SYN-ACK are 60 bytes of IP, and each 20 µs and two frames under way.
  const std::int64_t handshake = 2 * (20'000 + 2 * (60 + 38) * 8 / 10) + kAck;
  EXPECT_PRED3(near, fresh.latency_ns.min() - keep.latency_ns.min(), handshake, 5);
}

TEST(Connections, EachRequestIsEightPackets) {
  TrafficGroup group = per_request();
  group.think_time = milliseconds(60);  // Two in 100 ms.
  const TrafficResult result = measure(without_jitter(), {group}, kOptions).traffic[0];
  EXPECT_EQ(result.transactions, 2);
  // SYN, SYN-ACK, ACK, request, response, FIN, FIN, ACK: each but the first acknowledges.
  EXPECT_EQ(result.packets.sent, 2 * 8);
  EXPECT_EQ(result.packets.delivered, result.packets.sent);
  EXPECT_EQ(result.packets.in_flight, 0);
}

TEST(Connections, TheNextIsOpenedWhileTheLastIsClosing) {
  TrafficGroup group = per_request();
  group.think_time = {};
  const TrafficResult result = measure(without_jitter(), {group}, kOptions).traffic[0];
  // Nothing but the requests takes time: two round trips of 40 µs and some serialisation.
  const std::int64_t each = result.latency_ns.mean();
  EXPECT_PRED3(near, result.transactions, 100'000'000 / each, 2);
  EXPECT_GT(result.transactions, 1'000);
  EXPECT_EQ(result.drops.total(), 0);
}

TEST(Connections, LossesDelayWhatTheyHitAndNothingElse) {
  Network network = without_jitter();
  TrafficGroup group = per_request();
  group.think_time = {};
  group.flows_per_pair = 40;
  network.paths.port_queue_packets = 8;  // SYNs and FINs are lost as well.
  TrafficGroup crowd = datagrams(9'900'000'000, 1'400);
  const Measurement result =
      measure(network, {group, crowd}, {.duration = seconds(1), .warm_up = milliseconds(10)});
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_GT(traffic.drops[Drop::FabricQueueFull], 10);
  EXPECT_GT(traffic.transactions, 1'000);
  EXPECT_GE(traffic.latency_ns.max(), 1'000'000'000 / 5) << "a retransmission at least";
}

TEST(Connections, KeptDecisionsChangeNothing) {
  TrafficGroup group = per_request();
  group.think_time = microseconds(10);
  group.flows_per_pair = 5;
  const auto traffic = [&](bool keep, Encapsulation encapsulation) {
    RunOptions options{.duration = milliseconds(20)};
    options.keep_decisions = keep;
    TrafficGroup others = transfers(Connections::PerRequest);
    return measure(network({.encapsulation = encapsulation}), {group, others}, options).traffic;
  };
  for (const Encapsulation encapsulation : {Encapsulation::None, Encapsulation::Vxlan}) {
    const auto kept = traffic(true, encapsulation);
    const auto anew = traffic(false, encapsulation);
    for (const std::size_t i : {0u, 1u}) {
      EXPECT_GT(kept[i].transactions, 10);
      EXPECT_EQ(kept[i].transactions, anew[i].transactions);
      EXPECT_EQ(kept[i].packets, anew[i].packets);
      EXPECT_EQ(kept[i].latency_ns.mean(), anew[i].latency_ns.mean());
    }
  }
}

/// With CPU costs, at full load and with losses, for all that is opened and closed at once.
TEST(Connections, OfACrowdCostCpuTime) {
  Network network = testing::network({.nodes = 3});
  network.costs = only(cost::Stage::NapiReceive, {.per_packet = microseconds(2)});
  network.paths.port_queue_packets = 4;
  TrafficGroup group = per_request();
  group.think_time = {};
  group.flows_per_pair = 100;
  TrafficGroup others = transfers(Connections::PerRequest);
  for (TrafficGroup* each : {&group, &others})
    each->pairs = {pair(0, 1), pair(2, 1)};
  const RunOptions options{.duration = milliseconds(300), .warm_up = milliseconds(10)};
  const Measurement result = measure(network, {group, others}, options);
  EXPECT_GT(result.traffic[0].drops.total(), 0);
  EXPECT_GT(result.traffic[0].transactions, 1'000);
  EXPECT_GT(result.traffic[1].transactions, 10);
  // Eight packets a request, each 2 µs of one of 3 nodes' 4 cores in 290 ms.
  EXPECT_GT(result.cpu_utilisation.mean_ppm,
            result.traffic[0].transactions * 8 * 2 * 1'000'000 / (290'000 * 3 * 4));
}

TEST(Connections, SourcePortsRunOutWhenEachWaitsAMinute) {
  TrafficGroup group = per_request();
  group.think_time = {};
  group.flows_per_pair = 7'000;  // Four ports each.
  const RunOptions calm{.duration = milliseconds(300), .start_spread = milliseconds(250)};
  const Measurement result = measure(without_jitter(), {group}, calm);
  EXPECT_EQ(result.traffic[0].transactions, 4 * 7'000);
  ASSERT_FALSE(result.limits.empty());
  EXPECT_EQ(result.limits[0].station, "source ports");
  group.flows_per_pair = 10;
  const Measurement enough = measure(without_jitter(), {group}, kOptions);
  EXPECT_EQ(enough.limits[0].station, "application");
}

TEST(Connections, TransfersFollowEachOther) {
  for (const Connections connections : {Connections::KeepAlive, Connections::PerRequest}) {
    const Measurement result = measure(without_jitter(), {transfers(connections)}, kOptions);
    const TrafficResult& traffic = result.traffic[0];
    // 100 ms over 1 ms of gap and some 0.2 ms each: within five standard deviations of the gaps.
    EXPECT_EQ(traffic.transactions, traffic.completion_ns.count());
    const double each = 1e6 + static_cast<double>(traffic.completion_ns.mean());
    EXPECT_NEAR(static_cast<double>(traffic.transactions), 1e8 / each, 5 * 10);
    EXPECT_GE(traffic.goodput_bps, traffic.transactions * 100'000 * 8 * 10);
    EXPECT_LE(traffic.goodput_bps, (traffic.transactions + 1) * 100'000 * 8 * 10);
    EXPECT_EQ(traffic.drops.total(), 0);
    EXPECT_EQ(result.limits[0].constant, "transfers of 100000 bytes");
  }
}

TEST(Connections, ATransferOnANewConnectionStartsSlowly) {
  TrafficGroup keep = transfers(Connections::KeepAlive);
  keep.transfer = Distribution::fixed(1'000'000);
  TrafficGroup fresh = keep;
  fresh.connections = Connections::PerRequest;
  const auto a = measure(without_jitter(), {keep}, kOptions).traffic[0].completion_ns;
  const auto b = measure(without_jitter(), {fresh}, kOptions).traffic[0].completion_ns;
  EXPECT_EQ(a.max() + (52 + 38) * 8 / 10, b.max()) << "the first differs by an ACK";
  EXPECT_LT(a.min() * 11 / 10, b.min()) << "a handshake, and a window of ten segments";
  // A megabyte and its headers take 849 µs on a link of 10 Gbit/s.
  EXPECT_GT(a.min(), 849'000);
}

/// Without a route, a connection is given up, and the next one, a second later, sends SYNs until
/// one of them arrives.
TEST(Connections, WhoCannotConnectTriesAgain) {
  TrafficGroup group = per_request();
  group.think_time = seconds(1);
  Network network = without_jitter();
  RunOptions options{.duration = seconds(180), .start_spread = {}};
  options.changes = {without_cloud_route(Picos{}, 1), with_cloud_route(seconds(150), 1)};
  const TrafficResult result = measure(network, {group}, options).traffic[0];
  // The first connection is given up after 7 SYNs, 127 s and what timers are late (each by a step
  // of at most 512 ticks). The second sends its SYNs after 0, 1, 3, 7, 15 and 31 s.
  EXPECT_EQ(result.drops[Drop::FabricNoRoute], 7 + 5);
  const std::int64_t latency_ms = result.latency_ns.max() / 1'000'000;
  EXPECT_GE(latency_ms, 31'000) << "the sixth SYN arrives";
  EXPECT_LE(latency_ms, 31'000 + 5 * 8 + 2'048);
  EXPECT_GE(result.transactions, 13) << "the others a second apart";
  EXPECT_LE(result.transactions, 22);
}

}  // namespace connections_test
}  // namespace overlane::run
