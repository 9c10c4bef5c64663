#include <algorithm>

#include <gtest/gtest.h>

#include "dataplane/forward/forward.h"
#include "dataplane/forward/testing/walk.h"
#include "dataplane/node/state/world.h"

namespace overlane::forward {
namespace masquerade_test {

using node::NodeState;
using node::testing::ip;
using node::testing::make_cluster;
using node::testing::net;
using node::testing::pod;
using node::testing::pod_v6;
using testing::answer_to;
using testing::udp;

constexpr std::uint8_t kSyn = 0x02;
constexpr std::uint8_t kAck = 0x10;
constexpr std::uint8_t kRst = 0x04;
const IpAddress kServer = ip("198.51.100.1");
const IpAddress kNode = ip("10.250.0.4");

/// Node 1 with Felix's rules, which masquerade pods towards destinations outside all pools.
NodeState node_1(Encapsulation encapsulation = Encapsulation::None,
                 node::Tracking tracking = node::Tracking::Translated) {
  NodeState state = make_cluster({.encapsulation = encapsulation}).nodes[0];
  node::PacketFilter filter = *state.filter;
  filter.tracking = tracking;
  filter.masqueraded_sources = {net("100.96.0.0/11"), net("fd00:10:96::/48")};
  filter.unmasqueraded_destinations = filter.masqueraded_sources;
  filter.random_fully = false;
  if (encapsulation == Encapsulation::Ipip) filter.tunnel_devices = {"tunl0"};
  state.filter = std::make_shared<const node::PacketFilter>(filter);
  return state;
}
void change(NodeState& state, auto edit) {
  node::PacketFilter filter = *state.filter;
  edit(filter);
  state.filter = std::make_shared<const node::PacketFilter>(filter);
}

/// A node that keeps its runtime between packets.
struct Node {
  NodeState state = node_1();
  node::NodeRuntime runtime;

  Outcome take(const Packet& packet, Ingress ingress, Picos now = {}) {
    Outcome outcome;
    forward(state, runtime, packet, ingress, now, outcome);
    return outcome;
  }
  Packet sent(const Packet& packet, Picos now = {}) {
    const Outcome outcome = take(packet, Ingress::Pod, now);
    return outcome.emissions.empty() ? Packet{} : outcome.emissions[0].packet;
  }
};

Packet tcp(Packet packet, std::uint8_t flags) {
  packet.inner.protocol = kTcp;
  packet.tcp_flags = flags;
  return packet;
}
/// Returns the ICMP error that `from` sends about a packet.
Packet error_about(const Packet& packet, IpAddress from, std::uint8_t type, std::uint8_t code) {
  Packet error{.inner = {.source = from,
                         .destination = packet.inner.source,
                         .total_length = 56,
                         .protocol = kIcmp}};
  error.icmp = IcmpError{.type = type,
                         .code = code,
                         .quoted_source = packet.inner.source,
                         .quoted_destination = packet.inner.destination,
                         .quoted_protocol = packet.inner.protocol,
                         .quoted_source_port = packet.source_port,
                         .quoted_destination_port = packet.destination_port};
  return error;
}

TEST(MasqueradedPod, IsTheNodeForTheServerAndGetsItsAnswers) {
  for (const node::Tracking tracking : {node::Tracking::Translated, node::Tracking::All}) {
    for (const auto& [from, to, as] :
         {std::tuple{pod(0), kServer, kNode},
          std::tuple{pod_v6(0), ip("2001:db8::1"), ip("fd00:10:250::4")}}) {
      Node node{node_1(Encapsulation::None, tracking)};
      const Packet seen = node.sent(udp(from, to));
      EXPECT_EQ(seen.inner.source, as);
      EXPECT_EQ(seen.source_port, 40000);
      EXPECT_EQ(seen.inner.ttl, 63);
      const Outcome back = node.take(answer_to(seen), Ingress::Uplink);
      ASSERT_EQ(back.emissions.size(), 1u);
      EXPECT_EQ(back.emissions[0].egress, Egress::Pod);
      EXPECT_EQ(back.emissions[0].packet.inner.destination, from);
      EXPECT_EQ(back.emissions[0].packet.inner.source, to);
      EXPECT_EQ(node.sent(udp(from, to)), seen) << "and stays so";
    }
  }
}

TEST(MasqueradedPod, EchoRepliesFindTheirPodByIdentifier) {
  Node node;
  Packet ping = udp(pod(0), kServer);
  ping.inner.protocol = kIcmp;
  ping.source_port = 7;
  ping.destination_port = 0x0800;
  Packet other = ping;
  other.inner.source = pod(0, 1);
  node.sent(ping);
  const Packet seen = node.sent(other);
  EXPECT_NE(seen.source_port, 7) << "taken by the first pod";
  Packet reply = answer_to(seen);
  reply.source_port = seen.source_port;
  reply.destination_port = 0;
  const Packet back = node.take(reply, Ingress::Uplink).emissions.at(0).packet;
  EXPECT_EQ(back.inner.destination, pod(0, 1));
  EXPECT_EQ(back.source_port, 7);
}

TEST(MasqueradedPod, IsItselfTowardsPodsAndWhereNoRuleSaysOtherwise) {
  Node node{node_1(Encapsulation::Ipip)};
  EXPECT_EQ(node.sent(udp(pod(0), pod(1))).inner.source, pod(0));
  EXPECT_EQ(node.sent(udp(pod(0), pod(0, 1))).inner.source, pod(0));
  EXPECT_EQ(node.runtime.connections.size(), 0u) << "nothing to remember";
  change(node.state, [](auto& filter) { filter.tracking = node::Tracking::Off; });
  EXPECT_EQ(node.sent(udp(pod(0), kServer)).inner.source, pod(0));
}

TEST(MasqueradedPod, AllIsRememberedWhenAsked) {
  Node node{node_1(Encapsulation::Ipip, node::Tracking::All)};
  EXPECT_EQ(node.sent(udp(pod(0), pod(1))).inner.source, pod(0));
  const auto connections = node.runtime.connections.connections();
  ASSERT_EQ(connections.size(), 2u);
  EXPECT_EQ(connections[0].original.protocol, kIpip) << "the tunnel";
  EXPECT_EQ(connections[1].original.protocol, kUdp) << "the packet in it";
}

TEST(MasqueradedPod, VxlanIsLeftUntracked) {
  Node node{node_1(Encapsulation::Vxlan, node::Tracking::All)};
  change(node.state, [](auto& filter) { filter.untracked_udp_ports = {4789}; });
  node.sent(udp(pod(0), pod(1)));
  EXPECT_EQ(node.runtime.connections.size(), 1u);
}

TEST(MasqueradedPod, HearsErrorsAboutItsOwnPackets) {
  Node node;
  const Packet seen = node.sent(udp(pod(0), kServer));
  const Packet error = error_about(seen, ip("10.250.0.1"), 3, 4);
  const Outcome outcome = node.take(error, Ingress::Uplink);
  ASSERT_EQ(outcome.emissions.size(), 1u);
  const Packet& heard = outcome.emissions[0].packet;
  EXPECT_EQ(outcome.emissions[0].egress, Egress::Pod);
  EXPECT_EQ(heard.inner.source, ip("10.250.0.1")) << "the router's own address";
  EXPECT_EQ(heard.inner.destination, pod(0));
  EXPECT_EQ(heard.icmp->quoted_source, pod(0));
  EXPECT_EQ(node.runtime.path_mtus.size(), 0u) << "the node itself learns nothing";
}

TEST(MasqueradedPod, TellsTheServerAsTheNode) {
  Node node;
  const Packet seen = node.sent(udp(pod(0), kServer));
  const Packet back = node.take(answer_to(seen), Ingress::Uplink).emissions.at(0).packet;
  const Packet error = node.sent(error_about(back, pod(0), 3, 3));
  EXPECT_EQ(error.inner.source, kNode);
  EXPECT_EQ(error.icmp->quoted_destination, kNode);
  EXPECT_EQ(error.icmp->quoted_destination_port, seen.source_port);
}

TEST(MasqueradedPod, TheNodesOwnErrorsQuoteWhatTheirReceiverKnows) {
  Node node;
  Packet last = udp(pod(0), kServer);
  last.inner.ttl = 1;
  const Outcome expired = node.take(last, Ingress::Pod);
  EXPECT_EQ(expired.emissions.at(0).packet.icmp->quoted_source, pod(0));
  EXPECT_EQ(node.runtime.connections.size(), 0u) << "it went nowhere";
  Packet large = udp(pod(0), kServer, 1501);
  large.inner.dont_fragment = true;
  EXPECT_EQ(node.take(large, Ingress::Pod).emissions.at(0).packet.icmp->quoted_source, pod(0));

  Packet answer = answer_to(node.sent(udp(pod(0), kServer)));
  answer.inner.ttl = 1;
  const Packet told = node.take(answer, Ingress::Uplink).emissions.at(0).packet;
  EXPECT_EQ(told.inner.destination, kServer);
  EXPECT_EQ(told.icmp->quoted_destination, kNode) << "which the server has sent to";
}

TEST(MasqueradedPod, FragmentsAreCutFromTheTranslatedPacket) {
  Node node;
  const Outcome outcome = node.take(udp(pod(0), kServer, 2000), Ingress::Pod);
  ASSERT_EQ(outcome.emissions.size(), 2u);
  for (const Emission& emission : outcome.emissions)
    EXPECT_EQ(emission.packet.inner.source, kNode);
}

TEST(MasqueradedPod, WhatOpensNoConnectionIsLeftAlone) {
  Node node;
  const Packet rst = tcp(udp(pod(0), kServer), kRst);
  EXPECT_EQ(node.sent(rst).inner.source, pod(0));
  const Packet error = error_about(udp(kServer, pod(0)), pod(0), 3, 3);
  EXPECT_EQ(node.sent(error).inner.source, pod(0));
  EXPECT_EQ(node.sent(tcp(udp(pod(0), kServer), kAck)).inner.source, kNode) << "picked up";
}

TEST(MasqueradedPod, AnUnknownAnswerIsForTheNode) {
  Node node;
  const Outcome outcome = node.take(udp(kServer, kNode), Ingress::Uplink);
  EXPECT_EQ(outcome.emissions.at(0).egress, Egress::Host);
}

TEST(MasqueradedPod, AnswersWhoCallsItAsItself) {
  Node node;
  const Packet syn = tcp(udp(kServer, pod(0)), kSyn);
  EXPECT_EQ(node.take(syn, Ingress::Uplink).emissions.at(0).egress, Egress::Pod);
  EXPECT_EQ(node.sent(tcp(answer_to(syn), kSyn | kAck)).inner.source, pod(0));
  EXPECT_EQ(node.sent(tcp(answer_to(syn), kAck)).inner.source, pod(0));
}

TEST(MasqueradedNode, AnswersThroughATunnelAsWhomItWasAsked) {
  Node node{node_1(Encapsulation::Ipip)};
  const Packet question = udp(pod(1), kNode);
  EXPECT_EQ(node.take(question, Ingress::Uplink).emissions.at(0).egress, Egress::Host);
  const Outcome answer = node.take(answer_to(question), Ingress::Host);
  EXPECT_EQ(answer.emissions.at(0).packet.inner.source, kNode);
}

TEST(MasqueradedPod, StaysWhatItWasWhenTheRuleGoes) {
  Node node;
  node.sent(udp(pod(0), kServer));
  change(node.state, [](auto& filter) { filter.masqueraded_sources.clear(); });
  EXPECT_EQ(node.sent(udp(pod(0), kServer)).inner.source, kNode);
  EXPECT_EQ(node.sent(udp(pod(0), ip("198.51.100.2"))).inner.source, pod(0)) << "a new one";
  EXPECT_EQ(node.sent(udp(pod(0), kServer), seconds(31)).inner.source, pod(0)) << "it expired";
}

TEST(MasqueradedPod, IsExplainedByTheRuleThatItsConnectionOpenedWithAndByNoneLater) {
  Node node;
  const auto translated = [&] {
    Outcome outcome;
    std::vector<Step> steps;
    forward(node.state, node.runtime, udp(pod(0), kServer), Ingress::Pod, {}, outcome, &steps);
    return std::ranges::find(steps, "translate", &Step::decision)[0];
  };
  EXPECT_TRUE(translated().state_entry.starts_with("-A cali-nat-outgoing "));
  change(node.state, [](auto& filter) { filter.masqueraded_sources.clear(); });
  EXPECT_EQ(translated().state_entry, "");
  EXPECT_EQ(translated().because.find("mark"), std::string::npos) << translated().because;
}

TEST(MasqueradedPod, ARuleThatComesTakesOnlyNewConnectionsIfAllAreRemembered) {
  for (const node::Tracking tracking : {node::Tracking::Translated, node::Tracking::All}) {
    Node node{node_1(Encapsulation::None, tracking)};
    change(node.state, [](auto& filter) { filter.masqueraded_sources.clear(); });
    node.sent(udp(pod(0), kServer));
    change(node.state, [](auto& filter) { filter.masqueraded_sources = {net("100.96.0.0/11")}; });
    const bool all = tracking == node::Tracking::All;
    EXPECT_EQ(node.sent(udp(pod(0), kServer)).inner.source, all ? pod(0) : kNode);
  }
}

TEST(MasqueradedPod, ARangeOfPortsRunsOut) {
  Node node;
  change(node.state, [](auto& filter) { filter.nat_ports = node::PortRange{50'000, 50'001}; });
  Packet packet = udp(pod(0), kServer);
  for (int i = 0; i < 3; ++i) {
    packet.source_port = static_cast<std::uint16_t>(1000 + i);
    const Outcome outcome = node.take(packet, Ingress::Pod);
    EXPECT_EQ(outcome.drop, i < 2 ? std::nullopt : std::optional(Drop::NatExhausted)) << i;
  }
}

TEST(MasqueradedPod, AFullTableOfLastingConnectionsTakesNoMore) {
  Node node;
  node.runtime.connections = node::ConntrackTable(1);
  const Packet seen = node.sent(tcp(udp(pod(0), kServer), kSyn));
  node.take(tcp(answer_to(seen), kSyn | kAck), Ingress::Uplink);
  node.sent(tcp(udp(pod(0), kServer), kAck));
  EXPECT_EQ(node.take(udp(pod(0, 1), kServer), Ingress::Pod).drop, Drop::ConntrackFull);
}

TEST(MasqueradedPod, ARouteThroughAnotherDeviceEndsIt) {
  Node node{node_1(Encapsulation::Ipip)};
  node.sent(udp(pod(0), kServer));
  node::NodeEditor(node.state)
      .set_route(IpPrefix::host(kServer),
                 {.device = "tunl0", .via = ip("10.250.0.5"), .onlink = true});
  EXPECT_EQ(node.take(udp(pod(0), kServer), Ingress::Pod).drop, Drop::NatDeviceChanged);
  EXPECT_EQ(node.sent(udp(pod(0), kServer)).inner.source, ip("100.96.1.1")) << "a new one";
}

TEST(MasqueradedPod, LosesItsConnectionsWithTheAddress) {
  Node node;
  node.sent(udp(pod(0), kServer));
  forget_lost_devices(node.runtime, node.state);
  EXPECT_EQ(node.runtime.connections.size(), 1u);
  node.state.devices[0].up = false;
  forget_lost_devices(node.runtime, node.state);
  EXPECT_EQ(node.runtime.connections.size(), 0u);
}

TEST(MasqueradedNode, HasTheTunnelsAddressTowardsPods) {
  Node node{node_1(Encapsulation::Ipip)};
  const Outcome sent = node.take(udp(kNode, pod(1)), Ingress::Host);
  const Packet& seen = sent.emissions.at(0).packet;
  EXPECT_EQ(seen.inner.source, ip("100.96.1.1"));
  EXPECT_EQ(seen.outer.source, kNode) << "the outer packet is the node's own";

  Packet answer = answer_to(seen);
  std::swap(answer.outer.source, answer.outer.destination);
  const Outcome back = node.take(answer, Ingress::Uplink);
  EXPECT_EQ(back.emissions.at(0).egress, Egress::Host);
  EXPECT_EQ(back.emissions.at(0).packet.inner.destination, kNode);
}

TEST(IcmpLimits, SixErrorsToOnePodAndTwoAboutItsRoute) {
  struct Row {
    const char* what;
    std::uint8_t ttl;
    bool lifted;
    int answers;
  };
  for (const Row& row : {Row{"time exceeded", 1, false, 6}, Row{"no route", 64, false, 2},
                         Row{"lifted", 64, true, 20}}) {
    Node node;
    if (row.ttl != 1) node::NodeEditor(node.state).remove_route(net("0.0.0.0/0"));
    node.state.sysctls.icmp_ratelimit = node.state.sysctls.route_error_cost = !row.lifted;
    Packet packet = udp(pod(0), kServer);
    packet.inner.ttl = row.ttl;
    int answers = 0;
    int held_back = 0;
    for (int i = 0; i < 20; ++i) {
      Outcome outcome;
      std::vector<Step> steps;
      forward(node.state, node.runtime, packet, Ingress::Pod, {}, outcome, &steps);
      EXPECT_TRUE(outcome.drop) << row.what;
      answers += static_cast<int>(outcome.emissions.size());
      for (const Step& step : steps)
        held_back += step.decision == "hold back";
    }
    EXPECT_EQ(answers, row.answers) << row.what;
    EXPECT_EQ(held_back, 20 - row.answers) << row.what;
  }
}

TEST(IcmpLimits, PathMtuDiscoveryIsNeverHeldBack) {
  Node node;
  Packet large = udp(pod(0), kServer, 1501);
  large.inner.dont_fragment = true;
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(node.take(large, Ingress::Pod).emissions.size(), 1u);
}

}  // namespace masquerade_test
}  // namespace overlane::forward
