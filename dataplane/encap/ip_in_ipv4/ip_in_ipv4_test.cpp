#include <gtest/gtest.h>

#include "dataplane/encap/ip_in_ipv4/testing/subject.h"
#include "dataplane/encap/testing/laws.h"

namespace overlane::encap {
namespace ip_in_ipv4_test {

using testing::Bytes;
using testing::Laws;

template <typename Subject>
class IpInIpv4 : public ::testing::Test {};

struct KindNames {
  template <typename Subject>
  static std::string GetName(int) {
    return Subject::kInnerFamily == Family::Ipv4 ? "Ipip" : "Sit";
  }
};
using Kinds = ::testing::Types<ipip::testing::Subject, sit::testing::Subject>;
TYPED_TEST_SUITE(IpInIpv4, Kinds, KindNames);

/// A packet of the tunnel's kind with one byte changed and its checksum right.
template <typename Subject>
Bytes changed(std::size_t at, std::uint8_t value) {
  RandomStream random(1, StreamUse::Pattern, 0);
  const auto tunnel = Subject::random_tunnel(random);
  const auto inner = testing::random_packet(random, Subject::kInnerFamily);
  Bytes packet = Subject::naive(tunnel, inner, 0);
  packet[1] &= 0xfc;
  packet[at] = value;
  testing::fix_ipv4_checksum(packet);
  return packet;
}

TYPED_TEST(IpInIpv4, RefusesOtherProtocolsFragmentsAndWrongChecksums) {
  constexpr std::uint8_t kOtherProtocol = TypeParam::kInnerFamily == Family::Ipv4 ? 41 : 4;
  Bytes packet = changed<TypeParam>(6, 0);
  EXPECT_TRUE(TypeParam::pop(packet));
  packet[12] ^= 1;
  EXPECT_EQ(TypeParam::pop(packet).error(), Drop::BadChecksum);
  packet = changed<TypeParam>(9, kOtherProtocol);
  EXPECT_EQ(TypeParam::pop(packet).error(), Drop::UnsupportedProtocol);
  packet = changed<TypeParam>(6, 0x20);
  EXPECT_EQ(TypeParam::pop(packet).error(), Drop::Malformed) << "a first fragment";
  packet = changed<TypeParam>(7, 1);
  EXPECT_EQ(TypeParam::pop(packet).error(), Drop::Malformed) << "a later fragment";
  packet = changed<TypeParam>(0, 0x44);
  EXPECT_EQ(TypeParam::pop(packet).error(), Drop::Malformed) << "a header of 16 bytes";
}

TYPED_TEST(IpInIpv4, PushWritesTheNaiveBytesAndPopGivesThePacketBack) {
  Laws<TypeParam>(1).push_is_naive_and_pop_gives_back(3000);
}
TYPED_TEST(IpInIpv4, APacketCutAtAnyByteIsRefused) {
  Laws<TypeParam>(2).cut_packets_are_refused(30);
}
TYPED_TEST(IpInIpv4, HeadersThatLieAreRefusedOrHarmless) {
  Laws<TypeParam>(3).corrupt_packets_are_refused_or_harmless(300);
}
TYPED_TEST(IpInIpv4, EcnIsCombinedOnArrival) {
  Laws<TypeParam>(4).ecn_is_combined_on_arrival(200);
}
TYPED_TEST(IpInIpv4, PushRefusesWhatIsNoPacketOrTooLong) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Laws<TypeParam>(seed).push_refuses_what_is_no_packet();
    Laws<TypeParam>(seed).push_knows_the_largest_packet();
  }
}

TEST(Ipip, TunnelsInTunnelsAreTakenOffOneByOne) {
  RandomStream random(2, StreamUse::Pattern, 0);
  Bytes packet = testing::random_packet(random, Family::Ipv4).bytes;
  const Bytes bare = packet;
  const ipip::Pusher pusher({.source = {1}, .destination = {2}});
  for (std::size_t depth = 0; depth < 100; ++depth) {
    packet.insert(packet.begin(), 20, 0);
    ASSERT_TRUE(pusher.push(packet, 20, {})) << depth;
  }
  std::span<std::uint8_t> left = packet;
  for (int depth = 0; depth < 100; ++depth) {
    const auto popped = ipip::pop(left);
    ASSERT_TRUE(popped) << depth;
    left = popped->inner;
  }
  EXPECT_EQ(Bytes(left.begin(), left.end()), bare);
}

}  // namespace ip_in_ipv4_test
}  // namespace overlane::encap
