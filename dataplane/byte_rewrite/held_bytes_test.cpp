#include <gtest/gtest.h>

#include "dataplane/byte_rewrite/testing/node_under_test.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::byte_rewrite {
namespace held_bytes_test {

using forward::Ingress;
using overlane::testing::hex;
using testing::Bytes;
using testing::NodeUnderTest;

/// Returns a fragment with 8 or 16 bytes of data from a peer to the node itself.
Bytes fragment(std::uint16_t identification, std::uint16_t offset, bool last, int bytes = 8) {
  Bytes packet = hex("45 00 00 00 00 00 00 00 40 11 00 00 0a fa 00 05 0a fa 00 04");
  packet.resize(static_cast<std::size_t>(20 + bytes), 0x61);
  store_be16(packet.data() + 2, static_cast<std::uint32_t>(packet.size()));
  store_be16(packet.data() + 4, identification);
  store_be16(packet.data() + 6, offset / 8u | (last ? 0u : 0x2000u));
  store_be16(packet.data() + 10, internet_checksum(std::span(packet).first(20)));
  return packet;
}

TEST(HeldBytes, AreBoundedAndGoneWhenTheirTimeIsOver) {
  NodeUnderTest node({});
  std::uint64_t refused = 0;
  for (int i = 0; i < 5'000; ++i) {
    const auto number = static_cast<std::uint16_t>(i);
    const Fate fate = node.arrive(fragment(number, 8, false), Ingress::Uplink, milliseconds(i));
    refused += fate.drop == Drop::ReassemblyOverflow ? 1u : 0u;
    EXPECT_EQ(node.path.held(), node.runtime.reassembly.fragments());
    EXPECT_LE(node.path.held(), node::kReassemblyFragments);
  }
  EXPECT_EQ(refused + node::kReassemblyFragments, 5'000u);
  node.time_out(seconds(30) + milliseconds(4'999));
  EXPECT_EQ(node.path.held(), 0u);
  EXPECT_EQ(node.lost_fragments.size(), node::kReassemblyFragments);
}

TEST(HeldBytes, GoWithAPacketThatIsGivenUpAndNotWithItsSuccessor) {
  NodeUnderTest node({});
  EXPECT_TRUE(node.arrive(fragment(7, 8, false, 16), Ingress::Uplink).held);
  // It overlaps: both fragments are lost, and a new packet with that number begins.
  EXPECT_EQ(node.arrive(fragment(7, 0, false, 16), Ingress::Uplink).drop, Drop::Malformed);
  EXPECT_EQ(node.path.held(), 0u);
  EXPECT_TRUE(node.arrive(fragment(7, 0, false), Ingress::Uplink).held);
  ASSERT_EQ(node.lost_fragments.size(), 1u);
  EXPECT_EQ(node.lost_fragments[0].fragments, 1);
  EXPECT_EQ(node.path.held(), 1u);
  EXPECT_FALSE(node.arrive(fragment(7, 8, true), Ingress::Uplink).drop);
  ASSERT_EQ(node.out.size(), 1u);
  EXPECT_EQ(node.out[0].size(), 36u);
  EXPECT_EQ(node.path.held(), 0u);
}

/// RFC 792: "time exceeded" quotes the first fragment; without that fragment no error is sent.
TEST(HeldBytes, AreQuotedWhenTheRestDoesNotCome) {
  NodeUnderTest node({});
  const Bytes first = fragment(1, 0, false);
  EXPECT_TRUE(node.arrive(first, Ingress::Uplink).held);
  EXPECT_TRUE(node.arrive(fragment(2, 8, true), Ingress::Uplink).held);
  node.time_out(seconds(30));
  EXPECT_EQ(node.lost_fragments.size(), 2u);
  ASSERT_EQ(node.out.size(), 1u);
  EXPECT_EQ(node.out[0][20], 11);
  EXPECT_EQ(Bytes(node.out[0].begin() + 28, node.out[0].end()), first);
}

}  // namespace held_bytes_test
}  // namespace overlane::byte_rewrite
