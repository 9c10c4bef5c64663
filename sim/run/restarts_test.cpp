#include <gtest/gtest.h>

#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace restarts_test {

using namespace testing;
using model::TrafficResult;

TimedChange stop(Picos at, std::uint32_t node) {
  return {at, [node](node::WorldEditor& world) { world.stop_node(node); }};
}
TimedChange start(Picos at, std::uint32_t node) {
  return {at, [node](node::WorldEditor& world) { world.start_node(node); }};
}
TimedChange end_pod(Picos at, std::uint32_t node) {
  return {at, [node](node::WorldEditor& world) { world.end_pod({node, pod(node)}); }};
}
/// The first pod of a node is made again, at this address and with this MTU.
TimedChange restart_pod(Picos at, std::uint32_t node, std::uint32_t to, IpAddress address,
                        std::uint32_t mtu) {
  return {at, [=](node::WorldEditor& world) {
            world.restart_pod({node, pod(node)}, to, {.address = address, .mtu = mtu});
          }};
}

constexpr Picos kLong = milliseconds(200);

TEST(Restarts, PacketsToANodeThatDoesNotRunAreDropped) {
  const Measurement result = measure(
      testing::network(), {datagrams(8'000'000, 1000)},
      {.duration = kLong, .changes = {stop(milliseconds(50), 1), start(milliseconds(100), 1)}});
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_EQ(traffic.drops.total(), traffic.drops[Drop::NodeGone]);
  EXPECT_PRED3(near, traffic.drops[Drop::NodeGone], 50, 1) << "one each millisecond";
  EXPECT_PRED3(near, traffic.packets.delivered, 150, 1);
  EXPECT_EQ(traffic.interruptions->interrupted, 1);
  EXPECT_PRED3(near, traffic.interruptions->longest_ns.max(), 50'000'000, 1'100'000);
}

TEST(Restarts, PodsOfANodeThatDoesNotRunSendNothing) {
  const Measurement result = measure(
      testing::network(), {datagrams(8'000'000, 1000)},
      {.duration = kLong, .changes = {stop(milliseconds(50), 0), start(milliseconds(100), 0)}});
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_PRED3(near, traffic.packets.sent, 150, 1);
  EXPECT_EQ(traffic.packets.delivered + traffic.packets.dropped, traffic.packets.sent);
  EXPECT_EQ(traffic.interruptions->interrupted, 1) << "though no packet was lost";
  EXPECT_PRED3(near, traffic.interruptions->longest_ns.max(), 50'000'000, 1'100'000);
}

TEST(Restarts, PacketsToAPodThatHasEndedAreUnreachable) {
  const Measurement result =
      measure(testing::network(), {datagrams(8'000'000, 1000)},
              {.duration = kLong,
               .changes = {end_pod(milliseconds(50), 1),
                           restart_pod(milliseconds(100), 1, 1, pod(1), 1500)}});
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_PRED3(near, traffic.latency_ns.count(), 150, 1);
  EXPECT_PRED3(near, traffic.packets.dropped, 50, 1);
  EXPECT_EQ(traffic.drops[Drop::TtlExpired], traffic.packets.dropped) << "no route says black hole";
}

/// TCP goodput in the last quarter of a run in which something was stopped and started before.
std::int64_t late_goodput(TrafficGroup group, const std::vector<TimedChange>& changes,
                          Network network = testing::network()) {
  const Measurement result =
      measure(network, {std::move(group)},
              {.duration = seconds(4), .warm_up = seconds(3), .changes = changes});
  EXPECT_GT(result.traffic[0].packets.delivered, 0);
  return result.traffic[0].goodput_bps;
}

Network slow_network(const ClusterShape& shape = {}) {
  Network network = testing::network(shape);
  for (host::Machine& machine : network.machines)
    machine.nic_rate = {50'000'000};
  return network;
}

TEST(Restarts, TcpOpensAnotherConnectionAfterItsServersNodeRestarted) {
  const std::int64_t calm = late_goodput(bulk(), {}, slow_network());
  EXPECT_GT(calm, 40'000'000);
  EXPECT_EQ(late_goodput(bulk(), {stop(milliseconds(500), 1), start(milliseconds(900), 1)},
                         slow_network()),
            calm);
}

TEST(Restarts, TcpOpensAnotherConnectionAfterItsClientsNodeRestarted) {
  const std::int64_t calm = late_goodput(bulk(), {}, slow_network());
  EXPECT_EQ(late_goodput(bulk(), {stop(milliseconds(500), 0), start(milliseconds(900), 0)},
                         slow_network()),
            calm);
}

TEST(Restarts, TcpWithoutAServerFindsNobody) {
  EXPECT_EQ(late_goodput(bulk(), {stop(milliseconds(500), 1)}, slow_network()), 0);
}

TEST(Restarts, RequestsGoOnOverEveryKindOfConnection) {
  for (const Connections connections : {Connections::KeepAlive, Connections::PerRequest})
    for (const bool over_udp : {false, true})
      for (const std::uint32_t node : {0u, 1u}) {
        if (over_udp && connections == Connections::PerRequest) continue;
        TrafficGroup group = requests();
        group.connections = connections;
        group.over_udp = over_udp;
        group.think_time = milliseconds(1);
        const Measurement result =
            measure(slow_network(), {group},
                    {.duration = seconds(4),
                     .warm_up = seconds(3),
                     .changes = {stop(milliseconds(500), node), start(milliseconds(900), node)}});
        EXPECT_GT(result.traffic[0].latency_ns.count(), 500)
            << (over_udp ? "udp" : "tcp") << " node " << node;
        EXPECT_EQ(result.traffic[0].interruptions->not_resumed, 0);
      }
}

TEST(Restarts, ARequestThatTimesOutIsAskedAgainByAnotherConnection) {
  for (const Connections connections : {Connections::KeepAlive, Connections::PerRequest}) {
    TrafficGroup group = requests();
    group.connections = connections;
    group.think_time = milliseconds(1);
    const auto answered = [&](std::optional<Picos> timeout) {
      group.timeout = timeout;
      return measure(slow_network(), {group},
                     {.duration = seconds(5),
                      .warm_up = seconds(3),
                      .changes = {without_cloud_route(milliseconds(100), 1),
                                  with_cloud_route(milliseconds(2'950), 1)}})
          .traffic[0]
          .latency_ns.count();
    };
    // TCP by itself tries again at 3.0 s or 3.3 s at the earliest.
    EXPECT_GT(answered(milliseconds(100)), answered({}) + 20);
  }
}

TEST(Restarts, APodMadeAgainWithASmallerMtuSendsSmallerSegments) {
  Network network = slow_network();
  const auto packets_per_second = [&](const std::vector<TimedChange>& changes) {
    const Measurement result = measure(
        network, {bulk()}, {.duration = seconds(3), .warm_up = seconds(2), .changes = changes});
    const TrafficResult& traffic = result.traffic[0];
    EXPECT_GT(traffic.goodput_bps, 30'000'000);
    return static_cast<double>(traffic.goodput_bps) / static_cast<double>(traffic.throughput_bps);
  };
  EXPECT_NEAR(packets_per_second({}), 1448.0 / 1500, 0.001);
  EXPECT_NEAR(packets_per_second({restart_pod(milliseconds(100), 0, 0, pod(0), 600)}), 548.0 / 600,
              0.001);
}

TEST(Restarts, FlowsFollowAPodToAnotherNodeAndAddress) {
  const ClusterShape shape{.nodes = 3};
  const IpAddress moved = pod(2, 77);
  for (const std::uint32_t from : {0u, 1u}) {
    const std::vector<TimedChange> changes{end_pod(milliseconds(500), from),
                                           restart_pod(milliseconds(900), from, 2, moved, 1500)};
    const Measurement result =
        measure(slow_network(shape), {datagrams(8'000'000, 1000)},
                {.duration = seconds(2), .warm_up = seconds(1), .changes = changes});
    EXPECT_PRED3(near, result.traffic[0].goodput_bps, 8'000'000, 10'000) << from;
    if (from == 0) {
      EXPECT_GT(late_goodput(bulk(), changes, slow_network(shape)), 40'000'000);
    }
  }
}

TEST(Restarts, FlowsOfANodeThatJoinsLaterBeginThen) {
  for (const std::uint32_t node : {0u, 1u}) {
    const Measurement result = measure(testing::network(), {datagrams(8'000'000, 1000)},
                                       {.duration = kLong,
                                        .changes = {start(milliseconds(150), node)},
                                        .joins = {{node, milliseconds(150)}}});
    EXPECT_PRED3(near, result.traffic[0].packets.sent, 50, 1);
    EXPECT_EQ(result.traffic[0].packets.dropped, 0);
    EXPECT_EQ(result.traffic[0].interruptions->interrupted, 0);
  }
}

cost::CostProfile some_costs() {
  cost::CostProfile costs{.name = "some", .stages = {}};
  for (cost::StageCost& stage : costs.stages)
    stage = {microseconds(5), microseconds(1), picoseconds(20)};
  return costs;
}

TEST(Restarts, AClientOpensOneConnectionHoweverManyResetsItHears) {
  Network network = slow_network();
  network.costs = some_costs();
  const auto syns = [&](const std::vector<TimedChange>& changes) {
    int sent = 0;
    const TraceOptions trace{.follows = [](auto, auto) { return true; },
                             .see =
                                 [&](const TraceEvent& event) {
                                   sent += event.stop == TracePoint::Sent &&
                                                   event.segment != nullptr && event.segment->syn &&
                                                   !event.segment->ack
                                               ? 1
                                               : 0;
                                 }};
    measure(network, {bulk()}, {.duration = seconds(1), .changes = changes, .trace = &trace});
    return sent;
  };
  EXPECT_EQ(syns({}), 1);
  EXPECT_EQ(syns({restart_pod(milliseconds(300), 1, 1, pod(1), 1500)}), 2);
}

TEST(Restarts, ANodeThatJoinsRunsEachFlowOnce) {
  for (const Connections connections : {Connections::KeepAlive, Connections::PerRequest}) {
    TrafficGroup group = requests();
    group.connections = connections;
    group.think_time = milliseconds(1);
    const auto answered = [&](const std::vector<TimedChange>& changes,
                              const std::vector<NodeJoin>& joins) {
      return measure(testing::network(), {group},
                     {.duration = seconds(1),
                      .warm_up = milliseconds(500),
                      .changes = changes,
                      .joins = joins})
          .traffic[0]
          .latency_ns.count();
    };
    const Picos at = milliseconds(100);
    EXPECT_PRED3(near, answered({start(at, 0)}, {{0, at}}), answered({}, {}), 1);
  }
}

TEST(Restarts, AServerMadeAgainInAHandshakeResetsItsClient) {
  TrafficGroup group = requests();
  group.think_time = milliseconds(1);
  for (int i = 0; i < 20; ++i) {
    const Measurement result =
        measure(testing::network(), {group},
                {.duration = milliseconds(100),
                 .start_spread = microseconds(1),
                 .changes = {restart_pod(microseconds(5 * i), 1, 1, pod(1), 1500)}});
    EXPECT_EQ(result.traffic[0].interruptions->not_resumed, 0) << 5 * i << " µs";
    EXPECT_GT(result.traffic[0].latency_ns.count(), 80) << 5 * i << " µs";
  }
}

TEST(Restarts, APodThatEndsAgainAtOnceStaysAway) {
  const Measurement result = measure(
      testing::network(), {datagrams(8'000'000, 1000)},
      {.duration = kLong,
       .changes = {end_pod(milliseconds(50), 0), restart_pod(milliseconds(100), 0, 0, pod(0), 1500),
                   end_pod(milliseconds(100), 0),
                   restart_pod(milliseconds(150), 0, 0, pod(0), 1500)}});
  EXPECT_PRED3(near, result.traffic[0].packets.sent, 100, 2);
  EXPECT_EQ(result.traffic[0].packets.dropped, 0);
}

TEST(Restarts, PodsOfAStoppedNodeStartWithIt) {
  const Measurement result = measure(
      testing::network(), {datagrams(8'000'000, 1000)},
      {.duration = kLong,
       .changes = {stop(milliseconds(50), 0), restart_pod(milliseconds(100), 0, 0, pod(0), 1500),
                   start(milliseconds(150), 0)}});
  EXPECT_PRED3(near, result.traffic[0].packets.sent, 100, 2);
  EXPECT_EQ(result.traffic[0].packets.dropped, 0);
}

TEST(Restarts, NothingToSendIsNoInterruption) {
  TrafficGroup group = requests();
  group.think_time = milliseconds(80);
  const Measurement result =
      measure(testing::network(), {group},
              {.duration = kLong, .changes = {restart_pod(milliseconds(50), 1, 1, pod(1), 1500)}});
  EXPECT_EQ(result.traffic[0].interruptions->interrupted, 0);
}

/// Nothing is lost track of: run() fails where it is.
TEST(Restarts, EveryPacketOnAStoppedNodeIsAccountedFor) {
  for (const Encapsulation encapsulation :
       {Encapsulation::None, Encapsulation::Vxlan, Encapsulation::Wireguard})
    for (const cost::Wire wire : {cost::Wire::Nic, cost::Wire::Veth, cost::Wire::Virtio}) {
      if (wire == cost::Wire::Veth && encapsulation == Encapsulation::Wireguard) continue;
      Network network =
          testing::network({.encapsulation = encapsulation, .nodes = 3, .pods_per_node = 2});
      network.costs = some_costs();
      network.wire = wire;
      for (host::Machine& machine : network.machines) {
        machine.cores = 2;
        machine.rps = wire == cost::Wire::Nic;
      }
      const std::vector<TrafficGroup> traffic{
          bulk({pair(0, 1), pair(1, 2), pair(2, 0)}), requests({pair(0, 1), pair(1, 0)}),
          datagrams(100'000'000, 1000, {pair(1, 2), pair(2, 1)}),
          datagrams(100'000'000, 1000, {{{1, pod(1, 0)}, {1, pod(1, 1)}}})};
      std::vector<TimedChange> changes;
      for (int i = 0; i < 40; ++i) {
        const Picos at = microseconds(5'000 + 1'237 * i);
        changes.push_back(i % 2 == 0 ? stop(at, 1) : start(at, 1));
      }
      const Measurement result =
          measure(network, traffic, {.duration = milliseconds(60), .changes = changes});
      std::int64_t gone = 0;
      for (const TrafficResult& group : result.traffic)
        gone += group.drops[Drop::NodeGone];
      EXPECT_GT(gone, 100) << to_string(encapsulation);
    }
}

}  // namespace restarts_test
}  // namespace overlane::run
