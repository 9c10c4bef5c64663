#include <optional>

#include <gtest/gtest.h>

#include "dataplane/encap/ip6tnl/testing/subject.h"
#include "dataplane/encap/testing/laws.h"

namespace overlane::ip6tnl {

namespace ip6tnl_test {

using Laws = encap::testing::Laws<testing::Subject>;

using encap::testing::Bytes;
using overlane::testing::hex;
using overlane::testing::operator+;

const Tunnel kTunnel{.source = IpAddress::parse("2001:db8::1").value(),
                     .destination = IpAddress::parse("2001:db8::2").value()};

/// IPv6 from 2001:db8::`from` to 2001:db8::2, with a next header and what follows.
Bytes ipv6(std::uint8_t from, std::uint8_t next_header, const Bytes& payload) {
  Bytes bytes = hex("60 00 00 00");
  encap::testing::append(bytes, payload.size(), 2);
  bytes.push_back(next_header);
  bytes.push_back(9);
  const Bytes network = hex("20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00");
  return bytes + network + Bytes{from} + network + Bytes{2} + payload;
}

struct Pushed {
  Bytes bytes;
  std::optional<Drop> drop;
};
Pushed pushed(const Tunnel& tunnel, const Bytes& inner) {
  const Pusher pusher(tunnel);
  Bytes buffer = Bytes(pusher.headroom()) + inner;
  const auto outer = pusher.push(buffer, pusher.headroom(), {});
  if (!outer) return {.drop = outer.error()};
  return {.bytes = Bytes(outer->begin(), outer->end())};
}

Bytes limit(std::uint8_t next_header, std::uint8_t value) {
  return {next_header, 0, 4, 1, value, 1, 1, 0};
}
/// The eight bytes behind the outer header.
Bytes behind_header(const Bytes& packet) {
  return {packet.begin() + 40, packet.begin() + 48};
}

TEST(Ip6Tnl, ALimitIsAddedUnlessTheDeviceSaysNone) {
  const Bytes inner = ipv6(7, 59, {});
  const Bytes with = pushed(kTunnel, inner).bytes;
  EXPECT_EQ(with.size(), inner.size() + 48);
  EXPECT_EQ(with[6], 60);
  EXPECT_EQ(with[7], 64) << "hop limit";
  EXPECT_EQ(behind_header(with), limit(41, 4));
  Tunnel none = kTunnel;
  none.limit.reset();
  const Bytes without = pushed(none, inner).bytes;
  EXPECT_EQ(without.size(), inner.size() + 40);
  EXPECT_EQ(without[6], 41);
}

TEST(Ip6Tnl, ALimitInsideIsCountedDownWhateverTheDeviceSays) {
  const Bytes inner = ipv6(7, 60, limit(59, 2));
  Tunnel none = kTunnel;
  none.limit.reset();
  EXPECT_EQ(behind_header(pushed(kTunnel, inner).bytes), limit(41, 1));
  EXPECT_EQ(behind_header(pushed(none, inner).bytes), limit(41, 1));
  EXPECT_EQ(pushed(kTunnel, ipv6(7, 60, limit(59, 0))).drop, Drop::TunnelLoop);
}

TEST(Ip6Tnl, APacketFromTheFarEndIsALoop) {
  EXPECT_EQ(pushed(kTunnel, ipv6(2, 59, {})).drop, Drop::TunnelLoop);
}

// RFC 2473's limit: each tunnel takes one off, and the sixth finds none left.
TEST(Ip6Tnl, TunnelsInTunnelsEndAtTheLimit) {
  Bytes packet = ipv6(7, 59, {});
  for (int depth = 0; depth < 5; ++depth) {
    const Pushed outer = pushed(kTunnel, packet);
    ASSERT_FALSE(outer.drop) << depth;
    packet = outer.bytes;
  }
  EXPECT_EQ(pushed(kTunnel, packet).drop, Drop::TunnelLoop);
  for (int depth = 0; depth < 5; ++depth) {
    const auto popped = pop(packet);
    ASSERT_TRUE(popped) << depth;
    packet = Bytes(popped->inner.begin(), popped->inner.end());
  }
  EXPECT_EQ(packet, ipv6(7, 59, {}));
}

TEST(Ip6Tnl, HeadersThatAskForNothingArePassedOver) {
  const Bytes inner = ipv6(7, 59, {});
  struct Row {
    const char* what;
    std::uint8_t next_header;
    const char* extension;
    std::optional<Drop> drop;
  };
  const auto malformed = Drop::Malformed;
  const auto unsupported = Drop::UnsupportedProtocol;
  for (const Row& row : {
           Row{"nothing", 41, "", {}},
           Row{"an option to be skipped", 60, "29 00 1e 04 01 02 03 04", {}},
           Row{"an option to be dropped for", 60, "29 00 5e 04 01 02 03 04", unsupported},
           Row{"an option to be reported", 60, "29 00 9e 04 01 02 03 04", unsupported},
           Row{"a router alert", 0, "29 00 05 02 00 00 01 00", {}},
           Row{"a jumbo payload", 0, "29 00 c2 04 00 01 00 00", unsupported},
           Row{"padding that says something", 60, "29 00 01 04 00 00 07 00", malformed},
           Row{"eight bytes of padding", 60, "29 01 01 06 00 00 00 00 00 00 1e 04 00 00 00 00",
               malformed},
           Row{"eight options",
               60,
               "29 02 1e 00 1e 00 1e 00 1e 00 1e 00 1e 00 1e 00 1e 00 "
               "01 04 00 00 00 00",
               {}},
           Row{"nine options", 60,
               "29 02 1e 00 1e 00 1e 00 1e 00 1e 00 1e 00 1e 00 1e 00 "
               "1e 04 00 00 00 00",
               malformed},
           Row{"an option beyond its header", 60, "29 00 1e 05 01 02 03 04", malformed},
           Row{"a header beyond the packet", 60, "29 ff 01 04 00 00 00 00", malformed},
           Row{"a routing header that is done", 43, "29 00 04 00 00 00 00 00", {}},
           Row{"a routing header that is not", 43, "29 00 04 01 00 00 00 00", unsupported},
           Row{"an atomic fragment", 44, "29 00 00 00 12 34 56 78", {}},
           Row{"a first fragment", 44, "29 00 00 01 12 34 56 78", malformed},
           Row{"a later fragment", 44, "29 00 00 08 12 34 56 78", malformed},
           Row{"an authentication header", 51, "29 00 00 00 00 00 00 00", unsupported},
           Row{"hop-by-hop in second place", 60, "00 00 01 04 00 00 00 00 29 00 01 04 00 00 00 00",
               malformed},
           Row{"TCP", 6, "", unsupported},
           Row{"IPv4 announced", 4, "", malformed},
       }) {
    Bytes packet = ipv6(1, row.next_header, hex(row.extension) + inner);
    const auto popped = pop(packet);
    ASSERT_EQ(popped.has_value(), !row.drop) << row.what;
    if (row.drop) {
      EXPECT_EQ(popped.error(), *row.drop) << row.what;
    } else {
      EXPECT_EQ(Bytes(popped->inner.begin(), popped->inner.end()), inner) << row.what;
    }
  }
}

TEST(Ip6Tnl, PushWritesTheNaiveBytesAndPopGivesThePacketBack) {
  Laws(1).push_is_naive_and_pop_gives_back(3000);
}
TEST(Ip6Tnl, APacketCutAtAnyByteIsRefused) {
  Laws(2).cut_packets_are_refused(30);
}
TEST(Ip6Tnl, HeadersThatLieAreRefusedOrHarmless) {
  Laws(3).corrupt_packets_are_refused_or_harmless(300);
}
TEST(Ip6Tnl, EcnIsCombinedOnArrival) {
  Laws(4).ecn_is_combined_on_arrival(200);
}
TEST(Ip6Tnl, PushRefusesWhatIsNoPacketOrTooLong) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Laws(seed).push_refuses_what_is_no_packet();
    Laws(seed).push_knows_the_largest_packet();
  }
}

}  // namespace ip6tnl_test

}  // namespace overlane::ip6tnl
