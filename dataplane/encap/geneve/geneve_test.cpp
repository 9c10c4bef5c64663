#include <gtest/gtest.h>

#include "dataplane/encap/geneve/testing/subject.h"
#include "dataplane/encap/testing/laws.h"

namespace overlane::geneve {

namespace geneve_test {

using Laws = encap::testing::Laws<testing::Subject>;

using encap::testing::Bytes;

/// A ping with a critical option, as Open vSwitch sent it through the kernel with `df_default`.
Bytes ping() {
  return overlane::testing::hex(
      "45 00 00 8e df ad 40 00 40 11 32 af 14 00 00 01 14 00 00 02 31 4a 17 c1 00 7a 00 00 "
      "02 40 65 58 00 00 0a 00 00 00 80 01 00 00 00 0c fe 71 d8 83 72 4f b6 9e d2 49 51 48 "
      "08 00 45 00 00 54 bd a2 40 00 40 01 41 04 1e 00 00 01 1e 00 00 02 08 00 2c 54 29 52 "
      "00 17 f1 a2 ce 54 00 00 00 00 17 78 0c 00 00 00 00 00 10 11 12 13 14 15 16 17 18 19 "
      "1a 1b 1c 1d 1e 1f 20 21 22 23 24 25 26 27 28 29 2a 2b 2c 2d 2e 2f 30 31 32 33 34 35 "
      "36 37 ");
}

TEST(Geneve, APacketFromTheKernelIsPoppedAndPushedAgainAsTheSameBytes) {
  const Bytes packet = ping();
  Bytes buffer = packet;
  const auto popped = pop(buffer, {.critical_options = true});
  ASSERT_TRUE(popped) << to_string(popped.error());
  EXPECT_EQ(vni(*popped), 10u);
  EXPECT_TRUE(has_critical_options(*popped));
  EXPECT_FALSE(is_control(*popped));
  EXPECT_EQ(Bytes(options(*popped).begin(), options(*popped).end()),
            (Bytes{0, 0, 0x80, 1, 0, 0, 0, 12}));
  encap::OuterRules rules = encap::outer_rules(Encapsulation::Geneve);
  rules.df = encap::DfRule::Set;
  const Pusher pusher({.source = popped->source(),
                       .destination = popped->destination(),
                       .vni = vni(*popped),
                       .inner_source = inner_source(*popped),
                       .inner_destination = inner_destination(*popped),
                       .options = options(*popped),
                       .rules = rules});
  const auto pushed =
      pusher.push(buffer, pusher.headroom(), {.identification = load_be16(packet.data() + 4)});
  ASSERT_TRUE(pushed);
  // The port is a hash with a key of the kernel's own.
  store_be16(pushed->data() + 20, load_be16(packet.data() + 20));
  EXPECT_EQ(Bytes(pushed->begin(), pushed->end()), packet);
}

TEST(Geneve, ADeviceRefusesWhatTheKernelRefuses) {
  struct Row {
    const char* what;
    std::initializer_list<std::pair<std::size_t, std::uint8_t>> bytes;
    Drop drop;
  };
  for (const Row& row : {
           Row{"a critical option", {}, Drop::UnsupportedProtocol},
           Row{"version 1", {{28, 0x42}, {29, 0}}, Drop::Malformed},
           Row{"options beyond the packet", {{28, 0x3f}, {29, 0}}, Drop::Malformed},
           Row{"IPv4 without Ethernet", {{29, 0}, {30, 0x08}, {31, 0}}, Drop::UnsupportedProtocol},
           Row{"another payload", {{29, 0}, {30, 0x88}, {31, 0x47}}, Drop::UnsupportedProtocol},
           Row{"ARP in the frame", {{29, 0}, {57, 0x06}}, Drop::UnsupportedProtocol},
       }) {
    Bytes packet = ping();
    for (const auto& [at, value] : row.bytes)
      packet[at] = value;
    const auto popped = pop(packet);
    ASSERT_FALSE(popped) << row.what;
    EXPECT_EQ(popped.error(), row.drop) << row.what;
  }
}

TEST(Geneve, ReservedBitsAndTheControlBitAreIgnored) {
  Bytes packet = ping();
  packet[29] = 0xbf;
  packet[35] = 0xff;
  const auto popped = pop(packet);
  ASSERT_TRUE(popped);
  EXPECT_TRUE(is_control(*popped));
}

TEST(Geneve, PushWritesTheNaiveBytesAndPopGivesThePacketBack) {
  Laws(1).push_is_naive_and_pop_gives_back(3000);
}
TEST(Geneve, APacketCutAtAnyByteIsRefused) {
  Laws(2).cut_packets_are_refused(30);
}
TEST(Geneve, HeadersThatLieAreRefusedOrHarmless) {
  Laws(3).corrupt_packets_are_refused_or_harmless(300);
}
TEST(Geneve, EcnIsCombinedOnArrival) {
  Laws(4).ecn_is_combined_on_arrival(200);
}
TEST(Geneve, PushRefusesWhatIsNoPacketOrTooLong) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Laws(seed).push_refuses_what_is_no_packet();
    Laws(seed).push_knows_the_largest_packet();
  }
}

}  // namespace geneve_test

}  // namespace overlane::geneve
