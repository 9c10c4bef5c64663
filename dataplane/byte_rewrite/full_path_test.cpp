#include <algorithm>

#include <gtest/gtest.h>

#include "dataplane/byte_rewrite/testing/node_under_test.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::byte_rewrite {
namespace full_path_test {

using forward::Ingress;
using overlane::testing::hex;
using overlane::testing::operator+;
using testing::Bytes;
using testing::NodeUnderTest;

const node::testing::ClusterShape kRouted{};
const node::testing::ClusterShape kIp6Tnl{.encapsulation = Encapsulation::Ip6Tnl,
                                          .underlay = Family::Ipv6};
/// The experimental option 0x1e, then 0x9e, which has the copied flag, and the end of options.
const Bytes kOptions = hex("1e 03 07 9e 04 08 09 00");
/// UDP from port 40000 to 53, 40 bytes of payload.
const Bytes kUdp =
    hex("9c 40 00 35 00 30 b9 0d 40 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f 50 51 52 53 54 55 "
        "56 57"
        "58 59 5a 5b 5c 5d 5e 5f 60 61 62 63 64 65 66 67");

void set_uplink_mtu(NodeUnderTest& node, std::uint32_t mtu) {
  std::ranges::find(node.state.devices, node::DeviceKind::Uplink, &node::Device::kind)->mtu = mtu;
}

Bytes part(const Bytes& bytes, std::size_t from, std::size_t to) {
  return {bytes.begin() + static_cast<std::ptrdiff_t>(from),
          bytes.begin() + static_cast<std::ptrdiff_t>(to)};
}

/// Expects the two fragments of a datagram with options.
void expect_both_fragments(const std::vector<Bytes>& out) {
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0], hex("47 00 00 44 12 34 20 00 3f 11 ed 57 64 60 01 0a c0 00 02 0a") + kOptions +
                        part(kUdp, 0, 40));
  EXPECT_EQ(out[1], hex("47 00 00 24 12 34 00 05 3f 11 30 75 64 60 01 0a c0 00 02 0a") +
                        hex("01 01 01 9e 04 08 09 00") + part(kUdp, 40, 48));
}

/// RFC 791 3.1 and ip_options_fragment: in the second fragment no-operations replace 0x1e.
TEST(FullPath, CopiesIntoLaterFragmentsTheOptionsThatHaveTheFlag) {
  NodeUnderTest node(kRouted);
  set_uplink_mtu(node, 68);
  const Bytes packet =
      hex("47 00 00 4c 12 34 00 00 40 11 0c 50 64 60 01 0a c0 00 02 0a") + kOptions + kUdp;
  EXPECT_FALSE(node.arrive(packet, Ingress::Pod).drop);
  expect_both_fragments(node.out);
}

/// Fragments with options are reassembled for their pod's connection, and leave as they came.
TEST(FullPath, PutsFragmentsWithOptionsTogetherAndTakesThemApartAgain) {
  NodeUnderTest node(kRouted);
  node.state.filter = std::make_shared<const node::PacketFilter>(
      node::PacketFilter{.tracking = node::Tracking::All});
  const Bytes first = hex("47 00 00 44 12 34 20 00 40 11 ec 57 64 60 01 0a c0 00 02 0a") +
                      kOptions + part(kUdp, 0, 40);
  const Bytes second =
      hex("45 00 00 1c 12 34 00 05 40 11 41 24 64 60 01 0a c0 00 02 0a") + part(kUdp, 40, 48);
  EXPECT_TRUE(node.arrive(second, Ingress::Pod).held);
  EXPECT_FALSE(node.arrive(first, Ingress::Pod).held);
  expect_both_fragments(node.out);
}

/// RFC 8200 4.5: the fragment header follows the hop-by-hop options, which each fragment has.
TEST(FullPath, PutsTheFragmentHeaderBehindHopByHopOptions) {
  NodeUnderTest node(kRouted);
  set_uplink_mtu(node, 1280);
  const Bytes addresses =
      hex("fd 00 00 10 02 50 00 00 00 00 00 00 00 00 00 04"
          "fd 00 00 10 00 96 00 02 00 00 00 00 00 00 00 10");
  const Bytes data = hex("9c 40 00 35 05 14 12 34") + Bytes(1292, 0xab);
  const Bytes padding = hex("00 01 04 00 00 00 00");
  const Bytes packet = hex("60 01 23 45 05 1c 00 40") + addresses + hex("11") + padding + data;
  EXPECT_FALSE(node.arrive(packet, Ingress::Host).drop);
  ASSERT_EQ(node.out.size(), 2u);
  EXPECT_EQ(node.out[0], hex("60 01 23 45 04 d8 00 40") + addresses + hex("2c") + padding +
                             hex("11 00 00 01 00 00 00 00") + part(data, 0, 1224));
  EXPECT_EQ(node.out[1], hex("60 01 23 45 00 5c 00 40") + addresses + hex("2c") + padding +
                             hex("11 00 04 c8 00 00 00 00") + part(data, 1224, 1300));
}

/// RFC 792: the error quotes the packet as it came, with its hop limit and options; RFC 1812
/// 4.3.2.5: precedence.
TEST(FullPath, QuotesThePacketAsItCame) {
  NodeUnderTest node(kRouted);
  const Bytes packet =
      hex("47 02 00 4c 12 34 00 00 01 11 4b 4e 64 60 01 0a c0 00 02 0a") + kOptions + kUdp;
  EXPECT_EQ(node.arrive(packet, Ingress::Pod).drop, Drop::TtlExpired);
  ASSERT_EQ(node.out.size(), 1u);
  EXPECT_EQ(node.out[0], hex("45 c2 00 68 00 00 00 00 40 01 09 6c 0a fa 00 04 64 60 01 0a") +
                             hex("0b 00 1c b6 00 00 00 00") + packet);
}

TEST(FullPath, CorrectsTheChecksumsOfWhatItTranslates) {
  struct Row {
    const char* what;
    const char* packet;
    const char* translated;
  };
  const Row rows[] = {
      {"RFC 768: none was computed, none is",
       "45 00 00 1e 00 07 00 00 40 11 53 54 64 60 01 0a c0 00 02 0a 9c 40 00 35 00 0a 00 00 61 62",
       "45 00 00 1e 00 07 00 00 3f 11 ae c0 0a fa 00 04 c0 00 02 0a 9c 40 00 35 00 0a 00 00 61 62"},
      {"RFC 1624",
       "45 00 00 1e 00 07 00 00 40 11 53 54 64 60 01 0a c0 00 02 0a 9c 40 00 35 00 0a da 8d 61 62",
       "45 00 00 1e 00 07 00 00 3f 11 ae c0 0a fa 00 04 c0 00 02 0a 9c 40 00 35 00 0a 34 fa 61 62"},
      {"RFC 768: zero is sent as all ones",
       "45 00 00 1e 00 07 00 00 40 11 53 54 64 60 01 0a c0 00 02 0a 9c 40 00 35 00 0a a5 93 96 5c",
       "45 00 00 1e 00 07 00 00 3f 11 ae c0 0a fa 00 04 c0 00 02 0a 9c 40 00 35 00 0a ff ff 96 5c"},
      {"nf_conntrack_checksum: a wrong one makes the packet nobody's",
       "45 00 00 1e 00 07 00 00 40 11 53 54 64 60 01 0a c0 00 02 0a 9c 40 00 35 00 0a da 8e 61 62",
       "45 00 00 1e 00 07 00 00 3f 11 54 54 64 60 01 0a c0 00 02 0a 9c 40 00 35 00 0a da 8e 61 62"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    NodeUnderTest node(kRouted);
    node.masquerade();
    EXPECT_FALSE(node.arrive(hex(row.packet), Ingress::Pod).drop);
    ASSERT_EQ(node.out.size(), 1u);
    EXPECT_EQ(node.out[0], hex(row.translated));
  }
}

/// An ICMPv6 error about an IPv4 packet belongs to no connection.
TEST(FullPath, LeavesAnErrorAloneThatQuotesAPacketOfTheOtherFamily) {
  NodeUnderTest node(kRouted);
  node.masquerade();
  const Bytes sent = hex(
      "45 00 00 1e 00 07 00 00 40 11 53 54 64 60 01 0a c0 00 02 0a 9c 40 00 35 00 0a da 8d 61 62");
  EXPECT_FALSE(node.arrive(sent, Ingress::Pod).drop);
  const Bytes error =
      hex("60 00 00 00 00 26 3a 40 fd 00 00 10 02 50 00 00 00 00 00 00 00 00 00 01 fd 00 00 10 02 "
          "50 00 00 "
          "00 00 00 00 00 00 00 04 01 04 cc f8 00 00 00 00 45 00 00 1e 00 07 00 00 3f 11 ae c0 0a "
          "fa 00 04 "
          "c0 00 02 0a 9c 40 00 35 00 0a 34 fa 61 62");
  EXPECT_FALSE(node.arrive(error, Ingress::Uplink).drop);
  ASSERT_EQ(node.out.size(), 1u);
  EXPECT_EQ(node.out[0], error);
}

TEST(FullPath, CutsOffTheLinksPadding) {
  NodeUnderTest node(kRouted);
  const Bytes packet = hex(
      "45 00 00 1e 00 07 00 00 40 11 53 54 64 60 01 0a c0 00 02 0a 9c 40 00 35 00 0a 00 00 61 62");
  EXPECT_FALSE(node.arrive(packet + Bytes(16, 0), Ingress::Pod).drop);
  ASSERT_EQ(node.out.size(), 1u);
  EXPECT_EQ(node.out[0].size(), packet.size());
}

/// RFC 2473 4.1.1: a packet can limit the number of tunnels that it may still enter.
TEST(FullPath, KeepsOutOfATunnelWhatMustEnterNoMore) {
  const auto with_limit = [](const char* limit) {
    return hex("60 00 00 00 00 10 3c 40 fd 00 00 10 00 96 00 01 00 00 00 00 00 00 00 10"
               "fd 00 00 10 00 96 00 02 00 00 00 00 00 00 00 10 11 00 04 01") +
           hex(limit) + hex("01 01 00 9c 40 00 35 00 08 12 34");
  };
  NodeUnderTest node(kIp6Tnl);
  EXPECT_EQ(node.arrive(with_limit("00"), Ingress::Pod).drop, Drop::TunnelLoop);
  EXPECT_TRUE(node.out.empty());
  EXPECT_FALSE(node.arrive(with_limit("03"), Ingress::Pod).drop);
  ASSERT_EQ(node.out.size(), 1u);
  EXPECT_EQ(part(node.out[0], 40, 48), hex("29 00 04 01 02 01 01 00"));
}

}  // namespace full_path_test
}  // namespace overlane::byte_rewrite
