#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "dataplane/node/runtime/icmp_limit.h"
#include "dataplane/node/state/world.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace states_test {

using namespace testing;
using model::TrafficResult;

/// A cluster whose pods have a larger MTU than their tunnels.
Network with_wide_pods(Encapsulation encapsulation) {
  Network network = testing::network({.encapsulation = encapsulation});
  for (node::NodeState& node : network.nodes)
    for (node::LocalPod& pod : node.pods)
      pod.mtu = 1500;
  return network;
}

TEST(RunStates, TcpLearnsThePathMtuFromIcmp) {
  const Measurement result = measure(with_wide_pods(Encapsulation::Vxlan), {bulk()},
                                     {.duration = milliseconds(60), .warm_up = milliseconds(20)});
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_EQ(traffic.drops.total(), traffic.drops[Drop::MtuExceeded]);
  EXPECT_EQ(traffic.packets.dropped, 10) << "the first window, and nothing after it";
  EXPECT_PRED3(near, traffic.goodput_bps, 10'000'000'000 * 1398 / 1538, 20'000'000);
}

TEST(RunStates, DatagramsThatMustNotBeFragmentedAreAnsweredAndDropped) {
  const Measurement result =
      measure(with_wide_pods(Encapsulation::Vxlan), {datagrams(10'000'000, 1472)});
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_EQ(traffic.goodput_bps, 0);
  EXPECT_EQ(traffic.packets.dropped, traffic.drops[Drop::MtuExceeded]);
  EXPECT_EQ(traffic.packets.delivered, traffic.packets.dropped) << "one ICMP error for each";
  EXPECT_EQ(result.limits[0].station, "drop mtu-exceeded");
}

TEST(RunStates, DatagramsThatMayBeFragmentedArriveWhole) {
  TrafficGroup group = datagrams(10'000'000, 1472);
  group.dont_fragment = false;
  const Measurement result =
      measure(with_wide_pods(Encapsulation::Vxlan), {group}, {.duration = milliseconds(100)});
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_EQ(traffic.packets.dropped, 0);
  EXPECT_EQ(traffic.packets.sent % 2, 0);
  EXPECT_EQ(traffic.latency_ns.count(), traffic.packets.delivered / 2) << "two fragments each";
  EXPECT_PRED3(near, traffic.goodput_bps, 10'000'000, 1472 * 8 * 10 * 2);
}

/// 31 seconds of datagrams in two fragments. With no room to wait at the port, every second
/// fragment is dropped: it comes while the first one is still on the last link.
Measurement lose_second_fragments(Network network) {
  network.paths.port_queue_packets = 0;
  network.paths.jitter = {};
  TrafficGroup group = datagrams(500'000, 1472);
  group.dont_fragment = false;
  return measure(network, {group}, {.duration = seconds(31)});
}

TEST(RunStates, FragmentsWhoseOtherHalfIsLostTimeOutAfter30Seconds) {
  const Measurement result = lose_second_fragments(with_wide_pods(Encapsulation::Vxlan));
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_EQ(traffic.packets.delivered, 0);
  EXPECT_EQ(traffic.drops[Drop::FabricQueueFull], traffic.packets.sent / 2);
  const std::int64_t in_the_first_second = 42;
  EXPECT_PRED3(near, traffic.drops[Drop::ReassemblyTimeout], in_the_first_second, 1);
  EXPECT_EQ(traffic.packets.in_flight,
            traffic.packets.sent / 2 - traffic.drops[Drop::ReassemblyTimeout]);
}

void track(Network& network) {
  for (node::NodeState& node : network.nodes) {
    node::PacketFilter filter = *node.filter;
    filter.tracking = node::Tracking::Translated;
    node.filter = std::make_shared<const node::PacketFilter>(std::move(filter));
  }
}

/// The receiving node puts each datagram together and sends it on to the pod in the two fragments
/// that it came in: three are sent, one of them ends at the node.
TEST(RunStates, WhereConnectionsAreTrackedFragmentsComeTogetherOnTheNodeToo) {
  Network network = with_wide_pods(Encapsulation::Vxlan);
  track(network);
  TrafficGroup group = datagrams(10'000'000, 1472);
  group.dont_fragment = false;
  const Measurement result = measure(network, {group}, {.duration = milliseconds(100)});
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_EQ(traffic.packets.dropped, 0);
  EXPECT_EQ(traffic.packets.sent % 3, 0);
  EXPECT_EQ(traffic.latency_ns.count(), traffic.packets.delivered / 3);
  EXPECT_PRED3(near, traffic.goodput_bps, 10'000'000, 1472 * 8 * 10 * 2);
}

/// No fragment reaches the pod: a packet of which one is missing ends on the node, and a node in
/// transit sends no ICMP error for it.
TEST(RunStates, WhereConnectionsAreTrackedFragmentsTimeOutOnTheNode) {
  Network network = with_wide_pods(Encapsulation::Vxlan);
  track(network);
  const Measurement result = lose_second_fragments(std::move(network));
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_EQ(traffic.packets.delivered, 0);
  EXPECT_EQ(traffic.drops[Drop::FabricQueueFull], traffic.packets.sent / 2);
  EXPECT_PRED3(near, traffic.drops[Drop::ReassemblyTimeout], 42, 1);
}

/// The outer packets of a tunnel whose MTU is larger than the path's go as fragments. One is lost
/// each time: after 30 s the sending node hears of the first fragment of the other half of them.
TEST(RunStates, NodesAnswerOuterFragmentsThatTimeOut) {
  Network network = with_wide_pods(Encapsulation::Geneve);
  for (node::NodeState& node : network.nodes)
    std::ranges::find(node.devices, Encapsulation::Geneve, &node::Device::encapsulation)->mtu =
        1500;
  network.paths.port_queue_packets = 0;
  network.paths.jitter = {};
  const Measurement result =
      measure(network, {datagrams(500'000, 1472)}, {.duration = seconds(31)});
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_GT(traffic.drops[Drop::ReassemblyTimeout], 0);
  EXPECT_EQ(traffic.packets.delivered,
            std::min<std::int64_t>(traffic.drops[Drop::ReassemblyTimeout], node::kIcmpBurst));
}

TEST(RunStates, WithoutTheCloudRouteNothingArrivesAndTheReportSaysWhy) {
  Network network = testing::network();
  node::FabricEditor(network.fabric).remove_route(0, node::testing::pod_cidr(1));
  const Measurement result = measure(network, {bulk(), datagrams(1'000'000, 100)});
  for (const TrafficResult& traffic : result.traffic) {
    EXPECT_EQ(traffic.goodput_bps, 0);
    EXPECT_EQ(traffic.packets.dropped, traffic.drops[Drop::FabricNoRoute]);
    EXPECT_GT(traffic.packets.dropped, 0);
  }
  EXPECT_EQ(result.limits[0].station, "drop fabric-no-route");
}

/// A change that stops packets from the first node to the second, and what undoes it.
struct Change {
  const char* what;
  Encapsulation encapsulation;
  std::function<void(node::WorldEditor&)> apply;
  std::function<void(node::WorldEditor&)> undo;
};

std::vector<Change> changes_of_the_second_node() {
  const auto edit = [](auto of_node) {
    return [of_node](node::WorldEditor& world) { of_node(world.node(1), world.world().nodes[1]); };
  };
  const auto set_up = [&](const char* name, bool up) {
    return edit([name, up](node::NodeEditor& node, const node::NodeState& state) {
      node::Device device = *state.find_device(name);
      device.up = up;
      node.set_device(device);
    });
  };
  const auto set_forwarding = [&](bool on) {
    return edit([on](node::NodeEditor& node, const node::NodeState& state) {
      node::Sysctls sysctls = state.sysctls;
      sysctls.ip_forward = on;
      node.set_sysctls(sysctls);
    });
  };
  const IpPrefix pods = node::testing::pod_cidr(1);
  return {
      {"cloud route", Encapsulation::None, without_cloud_route({}, 1).apply,
       with_cloud_route({}, 1).apply},
      {"route of the sender", Encapsulation::None,
       [pods](auto& world) { world.node(0).set_route(pods, {.kind = node::RouteKind::Blackhole}); },
       [pods](auto& world) { world.node(0).remove_route(pods); }},
      {"uplink", Encapsulation::None, set_up("eth0", false), set_up("eth0", true)},
      {"tunnel device", Encapsulation::Ipip, set_up("tunl0", false), set_up("tunl0", true)},
      {"forwarding", Encapsulation::None, set_forwarding(false), set_forwarding(true)},
      {"node", Encapsulation::Ipip, [](auto& world) { world.stop_node(1); },
       [](auto& world) { world.start_node(1); }},
      {"pod", Encapsulation::None,
       [](auto& world) {
         world.end_pod({1, pod(1)});
       },
       [](auto& world) {
         world.restart_pod({1, pod(1)}, 1, {.address = pod(1), .mtu = 1450});
       }},
  };
}

/// Whom a change does not concern keeps every figure.
TEST(RunStates, AChangeStopsTheFlowsThatDependOnItAndLeavesAllFiguresOfOthers) {
  const std::vector<TrafficGroup> traffic{datagrams(40'000'000, 1000, {pair(0, 1)}),
                                          bulk({pair(2, 3)}), requests({pair(3, 2)})};
  for (const Change& change : changes_of_the_second_node()) {
    SCOPED_TRACE(change.what);
    const Network network = testing::network({.encapsulation = change.encapsulation, .nodes = 4});
    const RunOptions calm{.duration = milliseconds(100)};
    RunOptions changed = calm;
    changed.changes = {{milliseconds(40), change.apply}, {milliseconds(60), change.undo}};
    const Measurement without = measure(network, traffic, calm);
    const Measurement with = measure(network, traffic, changed);
    EXPECT_EQ(with.traffic[0].interruptions->interrupted, 1);
    EXPECT_EQ(with.traffic[0].interruptions->not_resumed, 0);
    EXPECT_PRED3(near, with.traffic[0].interruptions->longest_ns.max(), 20'000'000, 500'000);
    for (const std::size_t other : {1u, 2u}) {
      EXPECT_EQ(with.traffic[other].interruptions->interrupted, 0);
      expect_the_same(with.traffic[other], without.traffic[other]);
    }
  }
}

TEST(RunStates, WithoutTheTunnelDeviceOnlyTheOtherWayArrives) {
  Network network = testing::network({.encapsulation = Encapsulation::Ipip});
  node::NodeEditor(network.nodes[0]).remove_device("tunl0");
  const Measurement result = measure(
      network, {datagrams(1'000'000, 100, {pair(0, 1)}), datagrams(1'000'000, 100, {pair(1, 0)})});
  // The routes went with the device: what node 1 sends leaves bare, and the VPC does not know it.
  EXPECT_EQ(result.traffic[0].packets.dropped, result.traffic[0].drops[Drop::FabricNoRoute]);
  EXPECT_EQ(result.traffic[0].packets.delivered, 0);
  // What comes to it is answered with "port unreachable", as often as one destination may be.
  const TrafficResult& back = result.traffic[1];
  EXPECT_EQ(back.goodput_bps, 0);
  EXPECT_GT(back.drops[Drop::TunnelUnknown], 0);
  EXPECT_EQ(back.drops[Drop::TunnelUnknown] + node::kIcmpBurst + back.packets.in_flight,
            back.packets.sent);
}

/// The route is gone from 100 ms to 1,000 ms. A loss probe leaves 4 to 8 ms after the last segment
/// that was sent in vain, retransmissions 0.2 and 0.6 s after the probe, and the one after 1.43 s,
/// rounded up to ticks, gets through.
TEST(RunStates, TcpSurvivesAnOutageByBackingOff) {
  Network network = testing::network();
  RunOptions options{.duration = milliseconds(2000)};
  options.changes = {without_cloud_route(milliseconds(100), 1),
                     with_cloud_route(milliseconds(1000), 1)};
  const auto goodput_until = [&](std::int64_t ms) {
    options.duration = milliseconds(ms);
    return measure(network, {bulk()}, options).traffic[0].goodput_bps * ms / 8000;
  };
  const std::int64_t at_outage = goodput_until(102);
  EXPECT_EQ(goodput_until(1499), at_outage) << "still waiting";
  EXPECT_GT(goodput_until(1750), at_outage * 3 / 2);
}

/// A packet for a pod that is gone bounces between node and VPC router until its TTL is used up.
TEST(RunStates, LoopsEndWithTheHopLimit) {
  Network network = testing::network();
  network.nodes[1].pods.clear();
  const Measurement result = measure(network, {datagrams(1'000'000, 100)});
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_GT(traffic.drops[Drop::TtlExpired], 0);
  EXPECT_EQ(traffic.drops[Drop::TtlExpired], traffic.drops.total());
  EXPECT_GT(result.engine.packet_hops, 60 * traffic.packets.dropped);
}

}  // namespace states_test
}  // namespace overlane::run
