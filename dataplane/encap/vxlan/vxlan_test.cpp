#include <gtest/gtest.h>

#include "dataplane/encap/testing/laws.h"
#include "dataplane/encap/vxlan/testing/subject.h"

namespace overlane::vxlan {

namespace vxlan_test {

using encap::testing::Bytes;
using overlane::testing::hex;

using Laws = encap::testing::Laws<testing::Subject>;

/// What a Linux 6 kernel sent through a VXLAN device, the checksum of the inner UDP header still to
/// be completed (it holds the pseudo header's sum).
struct KernelPacket {
  const char* what;
  struct {
    encap::DfRule df = encap::DfRule::Unset;
    bool zero_checksum = false;
  } device;
  const char* bytes;
};

const KernelPacket kKernelPackets[] = {
    {"IPv4 in IPv4",
     {},
     "45 00 00 4e 84 49 00 00 40 11 72 52 c0 00 02 01 c0 00 02 02 86 61 12 b5 00 3a ce bc "
     "08 00 00 00 00 10 00 00 02 00 00 00 0a 02 02 00 00 00 0a 01 08 00 45 00 00 1c 81 d8 "
     "40 00 40 11 a4 a2 0a 2a 00 01 0a 2a 00 02 cf 10 00 07 00 08 14 70 "},
    {"CE goes out as ECT(0)",
     {},
     "45 02 00 4e 84 4b 00 00 40 11 72 4e c0 00 02 01 c0 00 02 02 83 58 12 b5 00 3a d1 c5 "
     "08 00 00 00 00 10 00 00 02 00 00 00 0a 02 02 00 00 00 0a 01 08 00 45 03 00 1c 81 da "
     "40 00 40 11 a4 9d 0a 2a 00 01 0a 2a 00 02 c2 28 00 07 00 08 14 70 "},
    {"IPv6 in IPv4",
     {},
     "45 02 00 62 84 63 00 00 40 11 72 22 c0 00 02 01 c0 00 02 02 eb ba 12 b5 00 4e 08 54 "
     "08 00 00 00 00 10 00 00 02 00 00 00 0a 02 02 00 00 00 0a 01 86 dd 60 3a 5c 30 00 08 "
     "11 40 fd 42 00 00 00 00 00 00 00 00 00 00 00 00 00 01 fd 42 00 00 00 00 00 00 00 00 "
     "00 00 00 00 00 02 9f ea 00 07 00 08 fa a1 "},
    {"df set",
     {.df = encap::DfRule::Set},
     "45 00 00 4e 33 80 40 00 40 11 83 1b c0 00 02 01 c0 00 02 02 ad 2f 12 b5 00 3a a7 ee "
     "08 00 00 00 00 10 00 00 02 00 00 00 0a 02 02 00 00 00 0a 01 08 00 45 00 00 1c cc b1 "
     "40 00 40 11 59 c9 0a 2a 00 01 0a 2a 00 02 9f 2b 00 07 00 08 14 70 "},
    {"IPv4 in IPv6",
     {},
     "60 00 00 00 00 3a 11 40 20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 01 20 01 0d b8 "
     "00 00 00 00 00 00 00 00 00 00 00 02 e0 02 12 b5 00 3a 9d aa 08 00 00 00 00 10 00 00 "
     "02 00 00 00 0a 02 02 00 00 00 0a 01 08 00 45 00 00 1c 71 e8 40 00 40 11 b4 92 0a 2a "
     "00 01 0a 2a 00 02 c6 ec 00 07 00 08 14 70 "},
    {"IPv6 in IPv6",
     {},
     "60 20 00 00 00 4e 11 40 20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 01 20 01 0d b8 "
     "00 00 00 00 00 00 00 00 00 00 00 02 ba fe 12 b5 00 4e 92 71 08 00 00 00 00 10 00 00 "
     "02 00 00 00 0a 02 02 00 00 00 0a 01 86 dd 60 38 2b 60 00 08 11 40 fd 42 00 00 00 00 "
     "00 00 00 00 00 00 00 00 00 01 fd 42 00 00 00 00 00 00 00 00 00 00 00 00 00 02 a7 4b "
     "00 07 00 08 fa a1 "},
    {"udp6zerocsumtx",
     {.zero_checksum = true},
     "60 20 00 00 00 3a 11 40 20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 01 20 01 0d b8 "
     "00 00 00 00 00 00 00 00 00 00 00 02 b8 9d 12 b5 00 3a 00 00 08 00 00 00 00 10 00 00 "
     "02 00 00 00 0a 02 02 00 00 00 0a 01 08 00 45 03 00 1c 22 95 40 00 40 11 03 e3 0a 2a "
     "00 01 0a 2a 00 02 9d 73 00 07 00 08 14 70 "},
};

/// Completes the checksum of the inner UDP header, which has no payload.
void complete_inner_checksum(Bytes& packet) {
  std::uint8_t* udp = packet.data() + packet.size() - 8;
  std::uint32_t sum = load_be16(udp + 6);
  for (int at = 0; at < 6; at += 2)
    sum += load_be16(udp + at);
  store_be16(udp + 6, 0xffff - fold(sum));
}

class FromTheKernel : public ::testing::TestWithParam<KernelPacket> {};

// The kernel's outer checksum is right once the inner one is: it is computed by default.
TEST_P(FromTheKernel, IsPoppedAndPushedAgainAsTheSameBytes) {
  Bytes packet = hex(GetParam().bytes);
  complete_inner_checksum(packet);
  Bytes buffer = packet;
  const auto popped = pop(buffer, {.zero_checksum_over_ipv6 = GetParam().device.zero_checksum});
  ASSERT_TRUE(popped) << to_string(popped.error());
  EXPECT_EQ(vni(*popped), 4096u);

  const Family underlay = popped->source().family();
  encap::OuterRules rules = encap::outer_rules(Encapsulation::Vxlan, underlay);
  rules.df = GetParam().device.df;
  if (GetParam().device.zero_checksum) rules.udp_checksum = encap::UdpChecksum::Zero;
  const Pusher pusher({.source = popped->source(),
                       .destination = popped->destination(),
                       .vni = vni(*popped),
                       .inner_source = inner_source(*popped),
                       .inner_destination = inner_destination(*popped),
                       .rules = rules});
  const auto pushed =
      pusher.push(buffer, pusher.headroom(), {.identification = load_be16(packet.data() + 4)});
  ASSERT_TRUE(pushed);
  // The port is a hash with a key of the kernel's own.
  Bytes mine(pushed->begin(), pushed->end());
  const std::size_t udp = underlay == Family::Ipv4 ? 20 : 40;
  EXPECT_GE(load_be16(packet.data() + udp), encap::kFirstLocalPort);
  EXPECT_LT(load_be16(packet.data() + udp), encap::kLastLocalPort);
  store_be16(mine.data() + udp, load_be16(packet.data() + udp));
  encap::testing::fix_udp_checksum(mine);
  EXPECT_EQ(mine, packet);
}

INSTANTIATE_TEST_SUITE_P(Vxlan, FromTheKernel, ::testing::ValuesIn(kKernelPackets),
                         [](const auto& packet) {
                           return "Packet" + std::to_string(packet.index);
                         });

/// A sound packet with some bytes changed and its checksums made right again.
Bytes changed(std::initializer_list<std::pair<std::size_t, std::uint8_t>> bytes) {
  Bytes packet = hex(kKernelPackets[0].bytes);
  complete_inner_checksum(packet);
  for (const auto& [at, value] : bytes)
    packet[at] = value;
  encap::testing::fix_ipv4_checksum(packet);
  encap::testing::fix_udp_checksum(packet);
  return packet;
}

TEST(Vxlan, RefusesWhatTheKernelDoesNotKnow) {
  struct Row {
    const char* what;
    std::initializer_list<std::pair<std::size_t, std::uint8_t>> bytes;
    Drop drop;
  };
  for (const Row& row : {
           Row{"without the I flag", {{28, 0x00}}, Drop::Malformed},
           Row{"VXLAN-GPE", {{28, 0x0c}, {31, 1}}, Drop::UnsupportedProtocol},
           Row{"a group policy", {{28, 0x88}, {31, 7}}, Drop::UnsupportedProtocol},
           Row{"a reserved bit before the VNI", {{31, 1}}, Drop::UnsupportedProtocol},
           Row{"a reserved bit behind the VNI", {{35, 1}}, Drop::UnsupportedProtocol},
           Row{"ARP", {{48, 0x08}, {49, 0x06}}, Drop::UnsupportedProtocol},
           Row{"IPv6 announced, IPv4 inside", {{48, 0x86}, {49, 0xdd}}, Drop::Malformed},
           Row{"TCP", {{9, 6}}, Drop::UnsupportedProtocol},
           Row{"a first fragment", {{6, 0x20}}, Drop::Malformed},
           Row{"a later fragment", {{7, 0x10}}, Drop::Malformed},
           Row{"a UDP length under the header", {{24, 0}, {25, 7}}, Drop::Malformed},
           Row{"a UDP length beyond the packet", {{25, 0xff}}, Drop::Malformed},
       }) {
    Bytes packet = changed(row.bytes);
    const auto popped = pop(packet);
    ASSERT_FALSE(popped) << row.what;
    EXPECT_EQ(popped.error(), row.drop) << row.what;
  }
}

TEST(Vxlan, RefusesWrongChecksums) {
  for (const std::size_t at : {10u, 26u, 60u}) {
    Bytes packet = changed({});
    packet[at] ^= 1;
    EXPECT_EQ(pop(packet).error(), Drop::BadChecksum) << at;
  }
}

TEST(Vxlan, AcceptsNoChecksumOverIpv4ButOnlyOnRequestOverIpv6) {
  Bytes over_ipv4 = changed({{26, 0}, {27, 0}});
  EXPECT_TRUE(pop(over_ipv4));
  Bytes over_ipv6 = hex(kKernelPackets[6].bytes);
  EXPECT_EQ(pop(over_ipv6).error(), Drop::BadChecksum);
  EXPECT_TRUE(pop(over_ipv6, {.zero_checksum_over_ipv6 = true}));
}

TEST(Vxlan, PaddingBehindAnyLengthIsNoPartOfThePacket) {
  Bytes packet = changed({});
  packet.resize(packet.size() + 6, 0xee);
  const auto popped = pop(packet);
  ASSERT_TRUE(popped);
  EXPECT_EQ(popped->inner.size(), 28u);
}

TEST(Vxlan, PushWritesTheNaiveBytesAndPopGivesThePacketBack) {
  Laws(1).push_is_naive_and_pop_gives_back(3000);
}
TEST(Vxlan, APacketCutAtAnyByteIsRefused) {
  Laws(2).cut_packets_are_refused(30);
}
TEST(Vxlan, HeadersThatLieAreRefusedOrHarmless) {
  Laws(3).corrupt_packets_are_refused_or_harmless(300);
}
TEST(Vxlan, EcnIsCombinedOnArrival) {
  Laws(4).ecn_is_combined_on_arrival(200);
}
TEST(Vxlan, PushRefusesWhatIsNoPacketOrTooLong) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Laws(seed).push_refuses_what_is_no_packet();
    Laws(seed).push_knows_the_largest_packet();
  }
}

}  // namespace vxlan_test

}  // namespace overlane::vxlan
