#include <algorithm>

#include <gtest/gtest.h>

#include "dataplane/node/runtime/icmp_limit.h"
#include "dataplane/node/state/fabric_editor.h"
#include "dataplane/node/state/node_editor.h"
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

/// As above, but nothing reaches the pod: what lacks its other half ends on the node. In transit
/// nobody hears of it.
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

/// The route is gone from 100 ms to 1,000 ms: retransmissions leave 200 and 600 ms after the last
/// segment that was sent in vain, and the one after 1,400 ms gets through.
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
  EXPECT_GT(goodput_until(1600), at_outage * 3 / 2);
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
