#include "sim/run/decide/byte_check.h"

#include <gtest/gtest.h>

#include "dataplane/forward/packet_builder.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace byte_check_test {

using namespace testing;

forward::Packet datagram() {
  return forward::PacketBuilder::udp(pod(0), pod(1)).ports(40000, 5201).length(128).build();
}

struct Decided {
  Network network = testing::network({.encapsulation = Encapsulation::Vxlan});
  node::NodeRuntime runtime;
  forward::Outcome outcome;
  ByteCheck::Expected expected;
  explicit Decided(const forward::Packet& packet = datagram()) {
    auto filter = std::make_shared<node::PacketFilter>(*network.nodes[0].filter);
    filter->tracking = node::Tracking::Translated;
    filter->masqueraded_sources = {IpPrefix::host(pod(0))};
    filter->unmasqueraded_destinations = {IpPrefix::host(pod(1))};
    network.nodes[0].filter = filter;
    const auto pod = forward::Ingress::Pod;
    expected = ByteCheck(1, 2, 2).expect(network.nodes[0], runtime, packet, pod, {});
    runtime.connections.checkpoint();
    forward::forward(network.nodes[0], runtime, packet, pod, {}, outcome);
  }
  ByteCheck check() {
    ByteCheck check(1, 2, 2);
    check.node(network.nodes[0], expected, runtime, outcome);
    return check;
  }
};

TEST(ByteCheck, AgreesWithWhatTheCoreDecided) {
  Decided decided;
  EXPECT_EQ(decided.check().counts().checked, 1);
  EXPECT_EQ(decided.check().counts().mismatched, 0) << decided.check().first_mismatch();
}

TEST(ByteCheck, NoticesAWrongTunnelHeaderAndSaysWhere) {
  Decided decided;
  ++decided.outcome.emissions.at(0).packet.vni;
  EXPECT_EQ(decided.check().counts().mismatched, 1);
  EXPECT_TRUE(decided.check().first_mismatch().starts_with("node-1: "));
}

TEST(ByteCheck, NoticesAnotherConnection) {
  forward::Packet outward = datagram();
  outward.inner.destination = node::testing::ip("8.8.8.8");
  Decided decided(outward);
  ASSERT_EQ(decided.runtime.connections.size(), 1u);
  EXPECT_EQ(decided.check().counts().mismatched, 0) << decided.check().first_mismatch();
  decided.expected.connections.begin()->second->expires += seconds(1);
  EXPECT_EQ(decided.check().first_mismatch(), "node-1: it remembers other connections");
  EXPECT_EQ(decided.runtime.connections.size(), 1u) << "which the check leaves alone";
}

TEST(ByteCheck, NoticesSomethingElseLearnt) {
  Decided decided;
  decided.runtime.path_mtus.learn(pod(1), 1000, {});
  EXPECT_EQ(decided.check().first_mismatch(), "node-1: it has learned something else");
}

TEST(ByteCheck, NoticesAPacketTakenToTheWrongInstance) {
  const Decided decided;
  const forward::Emission& sent = decided.outcome.emissions.at(0);
  forward::FabricOutcome outcome;
  forward::forward(decided.network.fabric, sent.packet, 0, sent.next_hop, outcome);
  ByteCheck check(1, 2, 2);
  node::FabricRuntime runtime;
  check.fabric(decided.network.fabric, runtime, sent.packet, 0, sent.next_hop, {}, outcome);
  EXPECT_EQ(check.counts().mismatched, 0) << check.first_mismatch();
  outcome.instance = 0;
  check.fabric(decided.network.fabric, runtime, sent.packet, 0, sent.next_hop, {}, outcome);
  EXPECT_EQ(check.counts().mismatched, 1);
}

TEST(ByteCheck, SamplesMoreThanOneInAThousand) {
  const ByteCheck check(1, 2, 2);
  int sampled = 0;
  for (std::int64_t number = 0; number < 1'000'000; ++number)
    sampled += int{check.samples(3, number)};
  EXPECT_GT(sampled, 1'000);
  EXPECT_LT(sampled, 1'250);
}

TEST(ByteCheck, SamplesLessWhereTablesAreLong) {
  const ByteCheck few(1, kSampling, 2);
  const ByteCheck many(1, 5'000, 2);
  int in_both = 0;
  int in_few = 0;
  for (std::int64_t number = 0; number < 1'000'000; ++number) {
    in_few += int{few.samples(3, number)};
    in_both += int{few.samples(3, number) && many.samples(3, number)};
    ASSERT_TRUE(few.samples(3, number) || !many.samples(3, number));
  }
  EXPECT_PRED3(near, in_few, 1'000'000 / 900, 100);
  EXPECT_PRED3(near, in_both, 1'000'000 / 5'000, 40);
}

TEST(ByteCheck, LooksAtTheFirstPacketsOfUpToSomeThousandFlows) {
  for (const EndpointId flows : {1u, 4096u, 50'000u}) {
    const ByteCheck check(1, 2, flows * 2);
    int looked = 0;
    for (EndpointId flow = 0; flow < flows; ++flow) {
      looked += int{check.samples_first(flow * 2)};
      ASSERT_EQ(check.samples_first(flow * 2), check.samples_first(flow * 2 + 1));
    }
    if (flows <= kFirstOfFlows) {
      EXPECT_EQ(looked, flows);
    } else {
      EXPECT_GT(looked, 3'800);
      EXPECT_LT(looked, 4'400);
    }
  }
}

TEST(ByteCheck, CoversMasqueradedConnections) {
  Network network = testing::network({});
  node::PacketFilter filter = *network.nodes[0].filter;
  filter.tracking = node::Tracking::Translated;
  filter.masqueraded_sources = {IpPrefix::host(pod(0))};
  network.nodes[0].filter = std::make_shared<const node::PacketFilter>(filter);
  const TrafficGroup back = {.name = "back",
                             .kind = model::TrafficKind::RequestResponse,
                             .pairs = {pair(1, 0)},
                             .request_bytes = 100,
                             .response_bytes = 1000};
  const Measurement result = measure(network, {bulk(), requests(), datagrams(1'000'000, 500), back},
                                     {.duration = milliseconds(20)});
  for (const model::TrafficResult& traffic : result.traffic) {
    EXPECT_GT(traffic.goodput_bps, 0) << traffic.name;
    EXPECT_EQ(traffic.packets.dropped, 0) << traffic.name;
  }
}

TEST(ByteCheck, CoversEveryKindOfTrafficOnEveryEncapsulation) {
  for (const Encapsulation encapsulation :
       {Encapsulation::None, Encapsulation::Ipip, Encapsulation::Vxlan}) {
    TrafficGroup fragments = datagrams(50'000'000, 4000);
    fragments.dont_fragment = false;
    const Measurement result =
        measure(testing::network({.encapsulation = encapsulation}), {bulk(), fragments, requests()},
                {.duration = milliseconds(20)});
    std::int64_t packets = 0;
    for (const model::TrafficResult& traffic : result.traffic)
      packets += traffic.packets.sent;
    EXPECT_GE(result.byte_path.checked, packets / 1000);
    EXPECT_EQ(result.byte_path.mismatched, 0)
        << to_string(encapsulation) << ": " << result.first_mismatch;
  }
}

}  // namespace byte_check_test
}  // namespace overlane::run
