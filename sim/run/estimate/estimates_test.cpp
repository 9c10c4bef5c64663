#include "sim/run/estimate/estimates.h"

#include <algorithm>
#include <malloc.h>

#include <gtest/gtest.h>

#include "dataplane/forward/packet_builder.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/node/runtime/conntrack.h"
#include "dataplane/wire/transport.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace memory_test {

using namespace testing;

std::int64_t allocated() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

/// What a run holds shortly before its end.
std::int64_t taken(const Network& network, const std::vector<TrafficGroup>& traffic) {
  std::int64_t most = 0;
  RunOptions options{.duration = milliseconds(20)};
  const auto look = [&](node::WorldEditor&) { most = std::max(most, allocated()); };
  for (const int at : {5, 10, 15, 19})
    options.changes.push_back({milliseconds(at), look});
  const std::int64_t before = allocated();
  measure(network, traffic, options);
  return most - before;
}

/// Flows around a ring of nodes.
std::vector<PodPair> ring(std::uint32_t nodes) {
  std::vector<PodPair> pairs;
  for (std::uint32_t node = 0; node < nodes; ++node)
    pairs.push_back(pair(node, (node + 1) % nodes));
  return pairs;
}

TEST(EstimateMemory, IsWhatRunsOfManyFlowsTake) {
  if (allocated() == 0) GTEST_SKIP() << "the allocator tells nothing";
  const Network network = testing::network({.nodes = 20});
  TrafficGroup pausing = requests(ring(20));
  pausing.name = "pausing";
  pausing.over_udp = true;
  pausing.think_time = microseconds(10);
  for (TrafficGroup group :
       {datagrams(1'000'000, 500, ring(20)), bulk(ring(20)), requests(ring(20)), pausing}) {
    group.flows_per_pair = 60;
    const std::int64_t estimate = estimate_memory(network, {group}, milliseconds(20)).count;
    const std::int64_t real = taken(network, {group});
    EXPECT_LT(real, estimate * 2) << group.name;
    EXPECT_GT(real, estimate / 3) << group.name;
  }
}

TEST(EstimateMemory, GrowsWithFlowsAndNodes) {
  TrafficGroup group = requests(ring(20));
  const auto estimate = [&](std::uint32_t nodes) {
    return estimate_memory(testing::network({.nodes = nodes}), {group}, milliseconds(20)).count;
  };
  const std::int64_t few = estimate(20);
  EXPECT_GT(estimate(200), few);
  group.flows_per_pair = 1000;
  EXPECT_GT(estimate(20), few + 20 * 999 * 1000);
  EXPECT_GT(estimate_memory(testing::network({.nodes = 200})),
            estimate_memory(testing::network({.nodes = 20})));
}

}  // namespace memory_test

namespace wire_bytes_test {

using transport::Segment;

constexpr TcpNumbering kNumbering{
    .sequence = 0xffff'fff0, .acknowledgement = 1000, .window_scale = 7};

forward::Packet packet_of(const Segment& segment, const std::string& source,
                          const std::string& destination) {
  return forward::PacketBuilder::tcp(IpAddress::parse(source).value(),
                                     IpAddress::parse(destination).value(),
                                     segment.syn ? wire::kTcpSyn : wire::kTcpAck)
      .ports(40'000, 5201)
      .length(segment.ip_bytes())
      .dont_fragment()
      .build();
}

forward::Packet ipv4_packet(const Segment& segment) {
  return packet_of(segment, "100.64.0.1", "100.64.1.1");
}

forward::Packet in_vxlan(forward::Packet packet) {
  packet.encapsulation = Encapsulation::Vxlan;
  packet.outer = {.source = IpAddress::parse("10.0.0.1").value(),
                  .destination = IpAddress::parse("10.0.0.2").value(),
                  .identification = 7,
                  .total_length = packet.inner.total_length + 50,
                  .protocol = forward::kUdp};
  packet.outer_source_port = 50'000;
  packet.outer_destination_port = 4789;
  packet.vni = 4096;
  return packet;
}

wire::TcpHeader tcp_of(const forward::Packet& packet, const std::vector<std::uint8_t>& bytes) {
  const auto segment = std::span(bytes).subspan(bytes.size() - packet.inner.payload_bytes());
  EXPECT_EQ(
      transport_checksum(packet.inner.source, packet.inner.destination, forward::kTcp, segment), 0)
      << "summed over its own checksum";
  return wire::parse_tcp(segment).value().header;
}

TEST(WireBytes, NumbersBeginBehindTheSynAndWrap) {
  const Segment segment{.sequence = 100,
                        .acknowledges = 30,
                        .window = 1 << 20,
                        .timestamp = milliseconds(12),
                        .echo = milliseconds(11),
                        .length = 500,
                        .ack = true,
                        .sack = {{40, 60}}};
  const forward::Packet packet = ipv4_packet(segment);
  const auto bytes = wire_bytes(packet, &segment, kNumbering);
  ASSERT_EQ(bytes.size(), segment.ip_bytes());
  const wire::TcpHeader header = tcp_of(packet, bytes);
  EXPECT_EQ(header.sequence, 85u) << "0xfffffff0 + 1 + 100";
  EXPECT_EQ(header.acknowledgement, 1031u);
  EXPECT_EQ(header.window, (1 << 20) >> 7);
  EXPECT_EQ(header.timestamps, (wire::TcpTimestamps{12, 11}));
  ASSERT_EQ(header.sack_block_count, 1);
  EXPECT_EQ(header.sack_blocks[0], (wire::TcpSackBlock{1041, 1061}));
}

TEST(WireBytes, ASynSaysWhatTheConnectionCan) {
  for (const bool ipv4 : {true, false}) {
    const Segment syn{.window = 1 << 20,
                      .ip_header = ipv4 ? transport::kIpv4Header : transport::kIpv6Header,
                      .mss = 1410,
                      .syn = true};
    const forward::Packet packet = ipv4 ? ipv4_packet(syn) : packet_of(syn, "fd00::1", "fd00::2");
    const auto bytes = wire_bytes(packet, &syn, kNumbering);
    EXPECT_EQ(bytes.size(), syn.ip_bytes());
    const wire::TcpHeader header = tcp_of(packet, bytes);
    EXPECT_EQ(header.sequence, kNumbering.sequence);
    EXPECT_EQ(header.acknowledgement, 0u);
    EXPECT_EQ(header.mss, 1410);
    EXPECT_EQ(header.window_scale, 7);
    EXPECT_TRUE(header.sack_permitted);
    EXPECT_EQ(header.window, 65'535) << "not scaled";
  }
}

TEST(WireBytes, AResetHasNoOptions) {
  const Segment reset{.sequence = 100, .rst = true};
  forward::Packet packet = ipv4_packet(reset);
  packet.tcp_flags = node::kTrackedRst;
  const auto bytes = wire_bytes(packet, &reset, kNumbering);
  EXPECT_EQ(bytes.size(), 40u);
  EXPECT_EQ(tcp_of(packet, bytes).flags, node::kTrackedRst);
}

TEST(WireBytes, AWindowIsScaledAsFarAsItNeeds) {
  EXPECT_EQ(window_scale(65'535), 0);
  EXPECT_EQ(window_scale(65'536), 1);
  EXPECT_EQ(window_scale(3 << 20), 6);
  EXPECT_EQ(window_scale(std::int64_t{1} << 40), 14);
}

TEST(WireBytes, FragmentsOfATunnelPacketMakeTheWhole) {
  const Segment segment{.length = 1000, .ack = true};
  const forward::Packet whole = in_vxlan(ipv4_packet(segment));
  const auto bytes = wire_bytes(whole, &segment, kNumbering);
  ASSERT_EQ(bytes.size(), whole.outer.total_length);
  EXPECT_EQ(tcp_of(whole, bytes).sequence, kNumbering.sequence + 1);
  EXPECT_EQ(transport_checksum(whole.outer.source, whole.outer.destination, forward::kUdp,
                               std::span(bytes).subspan(20)),
            0);

  std::vector<std::uint8_t> joined;
  for (const std::uint16_t offset : {std::uint16_t{0}, std::uint16_t{576}}) {
    forward::Packet fragment = whole;
    fragment.outer.fragment_offset = offset;
    fragment.outer.more_fragments = offset == 0;
    fragment.outer.total_length = offset == 0 ? 596 : whole.outer.total_length - 576;
    const auto of_fragment = wire_bytes(fragment, &segment, kNumbering);
    ASSERT_EQ(of_fragment.size(), fragment.outer.total_length);
    EXPECT_EQ(load_be16(of_fragment.data() + 6) & 0x1fff, offset / 8);
    joined.insert(joined.end(), of_fragment.begin() + 20, of_fragment.end());
  }
  EXPECT_TRUE(std::ranges::equal(joined, std::span(bytes).subspan(20)));
}

}  // namespace wire_bytes_test

namespace work_test {

using namespace testing;

TEST(Work, OfRequestsIsWhatTheLinkLetsThrough) {
  struct Row {
    std::uint32_t request;
    std::uint32_t response;
    std::uint32_t flows;
  };
  for (const Row& row : {Row{1, 1, 1}, Row{200, 4'000, 1}, Row{50'000, 100, 1},
                         Row{100'000'000, 1, 1}, Row{1, 100'000'000, 4}}) {
    TrafficGroup group = requests();
    group.request_bytes = row.request;
    group.response_bytes = row.response;
    group.flows_per_pair = row.flows;
    const RunOptions options{.duration = milliseconds(40), .start_spread = {}};
    const Measurement result = measure(network(), {group}, options);
    const double estimate = estimate_work(network(), {group}, options.duration).packets;
    const auto sent = static_cast<double>(result.traffic[0].packets.sent);
    EXPECT_GT(estimate / sent, 0.6) << row.request << ' ' << row.response;
    EXPECT_LT(estimate / sent, 1.7) << row.request << ' ' << row.response;
  }
}

TEST(Work, OfStreamsIsWhatUplinksLetThrough) {
  Network racked = network({.nodes = 4});
  racked.paths.racks = fabric::Racks{.nodes_per_rack = 2, .uplink = {1'000'000'000}};
  for (const std::uint32_t to : {2u, 1u}) {  // To another rack, and within one.
    TrafficGroup group = bulk({pair(0, to)});
    group.window_bytes = 200'000;  // More would be lost at the uplink, and sent again.
    const RunOptions options{.duration = milliseconds(100), .start_spread = {}};
    const double estimate = estimate_work(racked, {group}, options.duration).packets;
    const auto sent =
        static_cast<double>(measure(racked, {group}, options).traffic[0].packets.sent);
    EXPECT_NEAR(estimate / sent, 1, 0.1) << to;
  }
}

}  // namespace work_test
}  // namespace overlane::run
