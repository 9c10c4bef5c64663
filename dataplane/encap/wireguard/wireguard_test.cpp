#include "dataplane/encap/wireguard/wireguard.h"

#include <gtest/gtest.h>

#include "dataplane/encap/testing/naive_headers.h"

namespace overlane::wireguard {

namespace wireguard_test {

using encap::testing::append;
using encap::testing::Bytes;
using encap::testing::random_packet;
using encap::testing::RandomPacket;

TEST(WireguardPadding, EndsAtTheMtu) {
  struct Row {
    std::uint32_t length, mtu, padding;
  };
  for (const Row& row : {
           Row{1440, 1440, 0},                                        // A multiple of 16.
           Row{1439, 1440, 1}, Row{40, 1440, 8}, Row{8941, 8941, 0},  // 8,944 would not fit.
           Row{8930, 8941, 11}, Row{8929, 8941, 12},
           Row{1500, 1440, 4},  // Too large: the rest of 60 counts.
           Row{1432, 0, 8},     // Nobody knows the MTU.
       }) {
    EXPECT_EQ(padding(row.length, row.mtu), row.padding) << row.length << " of " << row.mtu;
  }
}

Tunnel random_tunnel(RandomStream& random) {
  const Family underlay = random.below(2) == 0 ? Family::Ipv4 : Family::Ipv6;
  return {.source = encap::testing::random_address(random, underlay),
          .destination = encap::testing::random_address(random, underlay),
          .port = static_cast<std::uint16_t>(1 + random.below(65'535)),
          .receiver = static_cast<std::uint32_t>(random.next()),
          .mtu = static_cast<std::uint32_t>(random.below(3) * 700)};
}

/// The message of the paper's section 5.4.6, one byte after the other, in its outer headers.
Bytes naive(const Tunnel& tunnel, const RandomPacket& inner, std::uint16_t identification) {
  Bytes message{4, 0, 0, 0};
  for (int shift = 0; shift < 32; shift += 8)
    message.push_back(static_cast<std::uint8_t>(tunnel.receiver >> shift));
  message.resize(16);
  message.insert(message.end(), inner.bytes.begin(), inner.bytes.end());
  const auto length = static_cast<std::uint32_t>(inner.bytes.size());
  message.resize(message.size() + padding(length, tunnel.mtu) + 16);
  encap::OuterRules rules =
      encap::outer_rules(Encapsulation::Wireguard, tunnel.destination.family());
  rules.destination_port = rules.first_source_port = rules.last_source_port = tunnel.port;
  return encap::testing::NaiveOuter{rules, tunnel.source, tunnel.destination, identification}.udp(
      inner, message);
}

struct Case {
  Tunnel tunnel;
  RandomPacket inner;
  Bytes outer;
};

std::vector<Case> random_cases(int count) {
  RandomStream random(51820, StreamUse::Pattern, 0);
  std::vector<Case> cases;
  while (count-- > 0) {
    const Tunnel tunnel = random_tunnel(random);
    const RandomPacket inner = random_packet(random);
    cases.push_back({tunnel, inner, naive(tunnel, inner, 7)});
  }
  return cases;
}

TEST(Wireguard, PushIsNaiveAndPopGivesBack) {
  for (const Case& c : random_cases(2'000)) {
    const Pusher pusher(c.tunnel);
    Bytes buffer(pusher.headroom() + 3, 0xa5);
    const std::size_t room = buffer.size();
    buffer.insert(buffer.end(), c.inner.bytes.begin(), c.inner.bytes.end());
    buffer.resize(buffer.size() + kTailBytes, 0xa5);
    const auto outer = pusher.push(buffer, room, {.identification = 7});
    ASSERT_TRUE(outer) << to_string(outer.error());
    ASSERT_EQ(Bytes(outer->begin(), outer->end()), c.outer);
    ASSERT_EQ(Bytes(buffer.begin(), buffer.begin() + 3), Bytes(3, 0xa5));
    const auto popped = pop(*outer);
    ASSERT_TRUE(popped) << to_string(popped.error());
    ASSERT_EQ(Bytes(popped->inner.begin(), popped->inner.end()), c.inner.bytes);
    ASSERT_EQ(receiver(*popped), c.tunnel.receiver);
    ASSERT_EQ(popped->destination(), c.tunnel.destination);
  }
}

TEST(Wireguard, CutPacketsAreRefused) {
  for (const Case& c : random_cases(20)) {
    for (std::size_t size = 0; size < c.outer.size(); ++size) {
      Bytes cut = overlane::testing::first(c.outer, size);
      ASSERT_FALSE(pop(cut)) << size;
    }
  }
}

TEST(Wireguard, OtherMessagesCarryNothing) {
  for (Case c : random_cases(200)) {
    const std::size_t message = c.tunnel.source.is_ipv4() ? 28 : 48;
    for (const std::uint8_t type : std::initializer_list<std::uint8_t>{0, 1, 2, 3, 5}) {
      Bytes other = c.outer;
      other[message] = type;
      encap::testing::fix_udp_checksum(other);
      EXPECT_FALSE(pop(other)) << int{type};
    }
  }
}

/// Behaviour of the kernel: what cannot carry a mark goes on without.
TEST(Wireguard, CongestionOutsideNeverDropsAPacket) {
  for (const Case& c : random_cases(200)) {
    Bytes marked = c.outer;
    const bool ipv4 = c.tunnel.source.is_ipv4();
    marked[1] = static_cast<std::uint8_t>(marked[1] | (ipv4 ? 0x03 : 0x30));
    encap::testing::fix_ipv4_checksum(marked);
    const auto popped = pop(marked);
    ASSERT_TRUE(popped) << to_string(popped.error());
    const std::uint8_t* inner = popped->inner.data();
    const int ecn = popped->inner_family == Family::Ipv4 ? inner[1] & 3 : inner[1] >> 4 & 3;
    EXPECT_EQ(ecn, (c.inner.tos & 3) == 0 ? 0 : 3);
  }
}

}  // namespace wireguard_test

}  // namespace overlane::wireguard
