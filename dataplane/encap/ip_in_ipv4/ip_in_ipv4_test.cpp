#include <gtest/gtest.h>

#include "dataplane/encap/ip_in_ipv4/testing/subject.h"
#include "dataplane/encap/testing/laws.h"

namespace overlane::ipip {
namespace ipip_test {

using Laws = encap::testing::Laws<testing::Subject>;

using encap::testing::Bytes;

/// A packet of the tunnel's kind with one byte changed and its checksum right.
Bytes changed(std::size_t at, std::uint8_t value) {
  RandomStream random(1, StreamUse::Pattern, 0);
  const auto tunnel = testing::Subject::random_tunnel(random);
  const auto inner = encap::testing::random_packet(random, Family::Ipv4);
  Bytes packet = testing::Subject::naive(tunnel, inner, 0);
  packet[1] &= 0xfc;
  packet[at] = value;
  encap::testing::fix_ipv4_checksum(packet);
  return packet;
}

TEST(Ipip, RefusesOtherProtocolsFragmentsAndWrongChecksums) {
  Bytes packet = changed(6, 0);
  EXPECT_TRUE(pop(packet));
  packet[12] ^= 1;
  EXPECT_EQ(pop(packet).error(), Drop::BadChecksum);
  packet = changed(9, 41);
  EXPECT_EQ(pop(packet).error(), Drop::UnsupportedProtocol);
  packet = changed(6, 0x20);
  EXPECT_EQ(pop(packet).error(), Drop::Malformed) << "a first fragment";
  packet = changed(7, 1);
  EXPECT_EQ(pop(packet).error(), Drop::Malformed) << "a later fragment";
  packet = changed(0, 0x44);
  EXPECT_EQ(pop(packet).error(), Drop::Malformed) << "a header of 16 bytes";
}

TEST(Ipip, TunnelsInTunnelsAreTakenOffOneByOne) {
  RandomStream random(2, StreamUse::Pattern, 0);
  Bytes packet = encap::testing::random_packet(random, Family::Ipv4).bytes;
  const Bytes bare = packet;
  const Pusher pusher({.source = {1}, .destination = {2}});
  for (std::size_t depth = 0; depth < 100; ++depth) {
    packet.insert(packet.begin(), 20, 0);
    ASSERT_TRUE(pusher.push(packet, 20, {})) << depth;
  }
  std::span<std::uint8_t> left = packet;
  for (int depth = 0; depth < 100; ++depth) {
    const auto popped = pop(left);
    ASSERT_TRUE(popped) << depth;
    left = popped->inner;
  }
  EXPECT_EQ(Bytes(left.begin(), left.end()), bare);
}

TEST(Ipip, PushWritesTheNaiveBytesAndPopGivesThePacketBack) {
  Laws(1).push_is_naive_and_pop_gives_back(3000);
}
TEST(Ipip, APacketCutAtAnyByteIsRefused) {
  Laws(2).cut_packets_are_refused(30);
}
TEST(Ipip, HeadersThatLieAreRefusedOrHarmless) {
  Laws(3).corrupt_packets_are_refused_or_harmless(300);
}
TEST(Ipip, EcnIsCombinedOnArrival) {
  Laws(4).ecn_is_combined_on_arrival(200);
}
TEST(Ipip, PushRefusesWhatIsNoPacketOrTooLong) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Laws(seed).push_refuses_what_is_no_packet();
    Laws(seed).push_knows_the_largest_packet();
  }
}

}  // namespace ipip_test
}  // namespace overlane::ipip

namespace overlane::sit {
namespace sit_test {

using Laws = encap::testing::Laws<testing::Subject>;

using encap::testing::Bytes;

/// A packet of the tunnel's kind with one byte changed and its checksum right.
Bytes changed(std::size_t at, std::uint8_t value) {
  RandomStream random(1, StreamUse::Pattern, 0);
  const auto tunnel = testing::Subject::random_tunnel(random);
  const auto inner = encap::testing::random_packet(random, Family::Ipv6);
  Bytes packet = testing::Subject::naive(tunnel, inner, 0);
  packet[1] &= 0xfc;
  packet[at] = value;
  encap::testing::fix_ipv4_checksum(packet);
  return packet;
}

TEST(Sit, RefusesOtherProtocolsFragmentsAndWrongChecksums) {
  Bytes packet = changed(6, 0);
  EXPECT_TRUE(pop(packet));
  packet[12] ^= 1;
  EXPECT_EQ(pop(packet).error(), Drop::BadChecksum);
  packet = changed(9, 4);
  EXPECT_EQ(pop(packet).error(), Drop::UnsupportedProtocol);
  packet = changed(6, 0x20);
  EXPECT_EQ(pop(packet).error(), Drop::Malformed) << "a first fragment";
  packet = changed(7, 1);
  EXPECT_EQ(pop(packet).error(), Drop::Malformed) << "a later fragment";
  packet = changed(0, 0x44);
  EXPECT_EQ(pop(packet).error(), Drop::Malformed) << "a header of 16 bytes";
}

TEST(Sit, PushWritesTheNaiveBytesAndPopGivesThePacketBack) {
  Laws(1).push_is_naive_and_pop_gives_back(3000);
}
TEST(Sit, APacketCutAtAnyByteIsRefused) {
  Laws(2).cut_packets_are_refused(30);
}
TEST(Sit, HeadersThatLieAreRefusedOrHarmless) {
  Laws(3).corrupt_packets_are_refused_or_harmless(300);
}
TEST(Sit, EcnIsCombinedOnArrival) {
  Laws(4).ecn_is_combined_on_arrival(200);
}
TEST(Sit, PushRefusesWhatIsNoPacketOrTooLong) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Laws(seed).push_refuses_what_is_no_packet();
    Laws(seed).push_knows_the_largest_packet();
  }
}

}  // namespace sit_test
}  // namespace overlane::sit
