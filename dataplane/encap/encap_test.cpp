#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/encap/ecn.h"
#include "dataplane/encap/outer_header.h"
#include "dataplane/encap/tunnel_bytes.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ipv4.h"
#include "sim/random/stream.h"

namespace overlane::encap {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::array kTunnels{Encapsulation::Ipip, Encapsulation::Vxlan};

const TunnelHeader kTunnel{.source = {0x0afa0004},
                           .destination = {0x0afa0005},
                           .identification = 77,
                           .vni = 4096,
                           .destination_port = 4789,
                           .inner_source_mac = {{2, 0, 0, 0, 0, 1}},
                           .inner_destination_mac = {{2, 0, 0, 0, 0, 2}}};

/// An inner IPv4 packet behind `room` bytes.
Bytes packet_behind(std::size_t room, wire::Ipv4Header header, RandomStream& random) {
  Bytes bytes(room + header.total_length);
  for (std::uint8_t& byte : bytes)
    byte = static_cast<std::uint8_t>(random.next());
  wire::write(header, std::span(bytes).subspan(room));
  return bytes;
}

wire::Ipv4Header random_header(RandomStream& random) {
  return {.tos = static_cast<std::uint8_t>(random.next()),
          .total_length = static_cast<std::uint16_t>(20 + random.below(1481)),
          .identification = static_cast<std::uint16_t>(random.next()),
          .dont_fragment = random.below(2) == 0,
          .more_fragments = random.below(8) == 0,
          .fragment_offset = static_cast<std::uint16_t>(random.below(8) == 0 ? 1480 : 0),
          .ttl = static_cast<std::uint8_t>(1 + random.below(255)),
          .protocol = static_cast<std::uint8_t>(random.below(2) == 0 ? 6 : 17),
          .source = {static_cast<std::uint32_t>(random.next())},
          .destination = {static_cast<std::uint32_t>(random.next())}};
}

TEST(Ecn, OuterFieldCopiesTheInnerOneButCe) {
  EXPECT_EQ(outer_ecn(Ecn::NotEct), Ecn::NotEct);
  EXPECT_EQ(outer_ecn(Ecn::Ect0), Ecn::Ect0);
  EXPECT_EQ(outer_ecn(Ecn::Ect1), Ecn::Ect1);
  EXPECT_EQ(outer_ecn(Ecn::Ce), Ecn::Ect0) << "Linux; RFC 6040 copies CE";
}

TEST(Ecn, InnerFieldAfterDecapsulationFollowsRfc6040) {
  struct Row {
    Ecn inner;
    std::array<std::optional<Ecn>, 4> by_outer;  ///< Not-ECT, ECT(0), ECT(1), CE.
  };
  constexpr auto kDrop = std::nullopt;
  const Row rows[] = {
      {Ecn::NotEct, {Ecn::NotEct, Ecn::NotEct, Ecn::NotEct, kDrop}},
      {Ecn::Ect0, {Ecn::Ect0, Ecn::Ect0, Ecn::Ect1, Ecn::Ce}},
      {Ecn::Ect1, {Ecn::Ect1, Ecn::Ect1, Ecn::Ect1, Ecn::Ce}},
      {Ecn::Ce, {Ecn::Ce, Ecn::Ce, Ecn::Ce, Ecn::Ce}},
  };
  const Ecn outers[] = {Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(inner_ecn(row.inner, outers[i]), row.by_outer[i]) << int(row.inner) << " " << i;
  }
}

TEST(FlowSourcePort, StaysInItsRangeAndSpreadsFlows) {
  std::set<std::uint16_t> ports;
  for (std::uint16_t port = 1024; port < 5024; ++port) {
    const std::uint16_t outer = flow_source_port(
        {.source = {1}, .destination = {2}, .source_port = port, .destination_port = 80});
    EXPECT_GE(outer, kFirstFlowPort);
    EXPECT_LT(outer, kLastFlowPort);
    ports.insert(outer);
  }
  // 4,000 balls into 28,231 bins hit 3,728 of them on average, with a deviation of about 15.
  EXPECT_NEAR(static_cast<double>(ports.size()), 3728, 75);
}

TEST(Ipip, OuterHeaderInheritsTtlDfAndEcnButNotDscp) {
  RandomStream random(1, StreamUse::Pattern, 5);
  Bytes packet = packet_behind(
      20, {.tos = 0xba, .total_length = 60, .dont_fragment = true, .ttl = 9, .protocol = 6},
      random);
  ASSERT_TRUE(push(Encapsulation::Ipip, kTunnel, packet));
  EXPECT_EQ(wire::parse_ipv4(packet).value(), (wire::Ipv4Header{.tos = 0x02,
                                                                .total_length = 80,
                                                                .identification = 77,
                                                                .dont_fragment = true,
                                                                .ttl = 9,
                                                                .protocol = 4,
                                                                .source = {0x0afa0004},
                                                                .destination = {0x0afa0005}}));
}

TEST(Vxlan, OuterHeaderIsItsOwnAndTheChecksumZero) {
  RandomStream random(1, StreamUse::Pattern, 6);
  Bytes packet = packet_behind(
      50, {.tos = 0xb9, .total_length = 60, .dont_fragment = true, .ttl = 9, .protocol = 6},
      random);
  ASSERT_TRUE(push(Encapsulation::Vxlan, kTunnel, packet));
  const auto outer = wire::parse_ipv4(packet).value();
  EXPECT_EQ(outer.ttl, 64);
  EXPECT_EQ(outer.tos, 0x01);
  EXPECT_FALSE(outer.dont_fragment);
  EXPECT_EQ(outer.total_length, 110);
  EXPECT_EQ(load_be16(packet.data() + 22), 4789);
  EXPECT_EQ(load_be16(packet.data() + 24), 90) << "UDP length";
  EXPECT_EQ(load_be16(packet.data() + 26), 0) << "UDP checksum";
  EXPECT_EQ(load_be32(packet.data() + 28), 0x08000000u);
  EXPECT_EQ(load_be32(packet.data() + 32), 4096u << 8);
  EXPECT_EQ(load_be16(packet.data() + 48), 0x0800) << "EtherType";
}

TEST(Tunnel, PopGivesBackWhatPushWrapped) {
  RandomStream random(1, StreamUse::Pattern, 7);
  for (int i = 0; i < 5000; ++i) {
    const Encapsulation encapsulation = kTunnels[random.below(2)];
    const wire::Ipv4Header header = random_header(random);
    Bytes packet = packet_behind(overhead(encapsulation), header, random);
    const Bytes inner(packet.begin() + overhead(encapsulation), packet.end());
    ASSERT_TRUE(push(encapsulation, kTunnel, packet));
    const auto popped = pop(encapsulation, packet);
    ASSERT_TRUE(popped) << to_string(popped.error());
    EXPECT_EQ(Bytes(popped->inner.begin(), popped->inner.end()), inner);
    EXPECT_EQ(popped->header.source, kTunnel.source);
    if (encapsulation == Encapsulation::Vxlan) {
      EXPECT_EQ(popped->header, kTunnel);
    }
  }
}

TEST(Tunnel, CeOnTheWayReachesTheInnerHeaderWithARightChecksum) {
  RandomStream random(1, StreamUse::Pattern, 8);
  for (const Encapsulation encapsulation : kTunnels) {
    Bytes packet = packet_behind(overhead(encapsulation),
                                 {.tos = 2, .total_length = 90, .protocol = 6}, random);
    ASSERT_TRUE(push(encapsulation, kTunnel, packet));
    auto outer = wire::parse_ipv4(packet).value();
    outer.tos = 3;
    wire::write(outer, packet);
    const auto popped = pop(encapsulation, packet);
    ASSERT_TRUE(popped);
    EXPECT_EQ(wire::parse_ipv4(popped->inner)->tos, 3);
  }
}

TEST(Tunnel, CeOnAPacketThatCannotCarryItIsDropped) {
  RandomStream random(1, StreamUse::Pattern, 9);
  for (const Encapsulation encapsulation : kTunnels) {
    Bytes packet = packet_behind(overhead(encapsulation),
                                 {.tos = 0, .total_length = 90, .protocol = 6}, random);
    ASSERT_TRUE(push(encapsulation, kTunnel, packet));
    auto outer = wire::parse_ipv4(packet).value();
    outer.tos = 3;
    wire::write(outer, packet);
    EXPECT_EQ(pop(encapsulation, packet).error(), Drop::EcnCorrupted);
  }
}

TEST(Tunnel, APacketCutAtAnyByteIsRefused) {
  RandomStream random(1, StreamUse::Pattern, 10);
  for (const Encapsulation encapsulation : kTunnels) {
    Bytes packet =
        packet_behind(overhead(encapsulation), {.total_length = 60, .protocol = 17}, random);
    ASSERT_TRUE(push(encapsulation, kTunnel, packet));
    for (std::size_t size = 0; size < packet.size(); ++size) {
      Bytes part(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(pop(encapsulation, part)) << size;
      // The same with an outer header that admits to the cut: the inner one lies then.
      if (size < 20) continue;
      auto outer = wire::parse_ipv4(packet).value();
      outer.total_length = static_cast<std::uint16_t>(size);
      wire::write(outer, part);
      EXPECT_FALSE(pop(encapsulation, part)) << size;
    }
  }
}

TEST(Tunnel, PushRefusesWhatIsNoWholeInnerPacket) {
  RandomStream random(1, StreamUse::Pattern, 11);
  Bytes packet = packet_behind(20, {.total_length = 60, .protocol = 17}, random);
  packet.push_back(0);
  EXPECT_EQ(push(Encapsulation::Ipip, kTunnel, packet).error(), Drop::Malformed);
  packet.pop_back();
  packet[20] = 0;
  EXPECT_EQ(push(Encapsulation::Ipip, kTunnel, packet).error(), Drop::Malformed);
  EXPECT_EQ(push(Encapsulation::Ipip, kTunnel, {}).error(), Drop::Malformed);
}

}  // namespace
}  // namespace overlane::encap
