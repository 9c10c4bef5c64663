#pragma once

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "dataplane/encap/outer_header.h"
#include "dataplane/encap/popped.h"
#include "dataplane/encap/testing/fast_pop_agrees.h"
#include "dataplane/encap/testing/naive_headers.h"
#include "dataplane/encap/testing/random_packet.h"

namespace overlane::encap::testing {

/// The properties of every encapsulation that writes only in front of a packet, checked with random
/// packets and tunnels. The tests of the encapsulations call the public functions. A Subject has
/// the types Tunnel and Pusher, and provides:
///   static Tunnel random_tunnel(RandomStream&);
///   static bool carries(Family);
///   static Bytes naive(const Tunnel&, const RandomPacket&, std::uint16_t identification);
///   static Result<Popped, Drop> pop(std::span<std::uint8_t>);  // accepting all that was pushed
template <typename Subject>
class Laws {
 public:
  explicit Laws(std::uint64_t seed) : random_(seed, StreamUse::Pattern, 0) {}

  /// For random packets at any alignment: push() writes the bytes of the naive encoder, changes no
  /// byte in front of them or in the inner packet, and pop() returns the inner packet.
  void push_is_naive_and_pop_gives_back(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      const Case c = random_case();
      const typename Subject::Pusher pusher(c.tunnel);
      const std::size_t spare = random_.below(8);
      const std::size_t room = spare + pusher.headroom();
      Bytes buffer(room, 0xa5);
      buffer.insert(buffer.end(), c.inner.bytes.begin(), c.inner.bytes.end());
      const auto outer = pusher.push(buffer, room, per_packet(c));
      ASSERT_TRUE(outer) << to_string(outer.error());
      ASSERT_EQ(Bytes(outer->begin(), outer->end()), c.outer) << "round " << i;
      for (auto at = buffer.data(); at < outer->data(); ++at)
        ASSERT_EQ(*at, 0xa5);
      ASSERT_TRUE(fast_pop_agrees<Subject>(c.outer));
      const auto popped = Subject::pop(*outer);
      ASSERT_TRUE(popped) << to_string(popped.error());
      ASSERT_EQ(Bytes(popped->inner.begin(), popped->inner.end()), c.inner.bytes);
      ASSERT_EQ(popped->inner_family, c.inner.family);
      ASSERT_EQ(popped->headers.data() + popped->headers.size(), popped->inner.data());
      ASSERT_EQ(popped->source(), IpAddress(c.tunnel.source));
      ASSERT_EQ(popped->destination(), IpAddress(c.tunnel.destination));
    }
  }

  /// pop() refuses a packet that is cut off anywhere, even if the outer lengths match the cut.
  void cut_packets_are_refused(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      const Case c = random_case();
      for (std::size_t size = 0; size < c.outer.size(); ++size) {
        Bytes cut = overlane::testing::first(c.outer, size);
        ASSERT_FALSE(Subject::pop(cut)) << size;
        if (size < 40) continue;
        cut = overlane::testing::first(c.outer, size);
        admit_length(cut);
        ASSERT_FALSE(Subject::pop(cut)) << size << " admitted";
      }
    }
  }

  /// With one or two adjacent header bytes set to random values, pop() returns a whole packet
  /// inside the buffer or refuses. The buffer has the packet's size, so that a sanitizer sees reads
  /// beyond.
  void corrupt_packets_are_refused_or_harmless(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      const Case c = random_case();
      const std::size_t headers = c.outer.size() - c.inner.bytes.size() + 8;
      for (std::size_t at = 0; at < std::min(headers, c.outer.size() - 1); ++at) {
        Bytes lie = c.outer;
        lie[at] = static_cast<std::uint8_t>(random_.next());
        if (random_.below(2) == 0) lie[at + 1] = static_cast<std::uint8_t>(random_.next());
        if (random_.below(4) != 0) fix_ipv4_checksum(lie);
        if (random_.below(2) == 0) fix_udp_if_any(lie);
        check_whole(lie);
      }
    }
  }

  /// pop() combines inner and outer ECN fields as RFC 6040 says, for all outer values.
  void ecn_is_combined_on_arrival(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      const Case c = random_case();
      for (std::uint8_t outer_ecn = 0; outer_ecn < 4; ++outer_ecn) {
        Bytes marked = c.outer;
        mark(marked, outer_ecn);
        ASSERT_TRUE(fast_pop_agrees<Subject>(marked));
        const auto popped = Subject::pop(marked);
        const auto expected = combined(c.inner.tos & 3, outer_ecn);
        if (!expected) {
          ASSERT_FALSE(popped);
          ASSERT_EQ(popped.error(), Drop::EcnCorrupted);
          continue;
        }
        ASSERT_TRUE(popped) << to_string(popped.error());
        ASSERT_EQ(Bytes(popped->inner.begin(), popped->inner.end()), with_ecn(c.inner, *expected));
      }
    }
  }

  /// push() accepts one whole packet of a family that the encapsulation carries, and refuses other
  /// bytes.
  void push_refuses_what_is_no_packet() {
    const Case c = random_case();
    const typename Subject::Pusher pusher(c.tunnel);
    const auto refused = [&](const Bytes& inner) {
      Bytes buffer(pusher.headroom());
      buffer.insert(buffer.end(), inner.begin(), inner.end());
      return !pusher.push(buffer, pusher.headroom(), {});
    };
    EXPECT_FALSE(refused(c.inner.bytes));
    for (std::size_t size = 0; size < c.inner.bytes.size(); ++size)
      EXPECT_TRUE(refused(overlane::testing::first(c.inner.bytes, size))) << size;
    Bytes padded = c.inner.bytes;
    padded.push_back(0);
    EXPECT_TRUE(refused(padded));
    for (const int version : {0, 5, 7, 15}) {
      Bytes other = c.inner.bytes;
      other[0] = static_cast<std::uint8_t>(version * 16 + other[0] % 16);
      EXPECT_TRUE(refused(other)) << version;
    }
    for (const Family family : {Family::Ipv4, Family::Ipv6}) {
      if (!Subject::carries(family)) {
        EXPECT_TRUE(refused(random_packet(random_, family).bytes));
      }
    }
  }

  /// push() accepts the largest inner packet that fits and refuses one byte more.
  void push_knows_the_largest_packet() {
    const Case c = random_case();
    const typename Subject::Pusher pusher(c.tunnel);
    const std::size_t headers = c.outer.size() - c.inner.bytes.size();
    const bool over_ipv4 = c.outer[0] >> 4 == 4;
    const std::size_t largest = 0xffff + (over_ipv4 ? 0 : 40) - headers;
    for (const std::size_t size : {largest, largest + 1}) {
      if (c.inner.family == Family::Ipv4 && size > 0xffff) return;
      Bytes buffer(pusher.headroom());
      buffer.insert(buffer.end(), c.inner.bytes.begin(), c.inner.bytes.end());
      buffer.resize(pusher.headroom() + size);
      std::uint8_t* inner = buffer.data() + pusher.headroom();
      if (c.inner.family == Family::Ipv4) store_be16(inner + 2, static_cast<std::uint32_t>(size));
      if (c.inner.family == Family::Ipv6)
        store_be16(inner + 4, static_cast<std::uint32_t>(size - 40));
      EXPECT_EQ(pusher.push(buffer, pusher.headroom(), {}).has_value(), size == largest) << size;
    }
  }

 private:
  struct Case {
    typename Subject::Tunnel tunnel;
    RandomPacket inner;
    std::uint16_t identification;
    Bytes outer;
  };

  static PerPacket per_packet(const Case& c) {
    return {.identification = c.identification,
            .flow_hash = inner_flow_hash(c.inner.bytes, c.inner.family)};
  }

  Case random_case() {
    const auto tunnel = Subject::random_tunnel(random_);
    RandomPacket inner = random_packet(random_);
    while (!Subject::carries(inner.family) || inner.encapsulation_limit == 0)
      inner = random_packet(random_);
    const auto identification = static_cast<std::uint16_t>(random_.next());
    return {tunnel, inner, identification, Subject::naive(tunnel, inner, identification)};
  }

  static bool is_udp(const Bytes& packet) {
    const bool ipv4 = packet[0] >> 4 == 4;
    return packet.size() >= (ipv4 ? 28u : 48u) && packet[ipv4 ? 9 : 6] == 17;
  }
  static void fix_udp_if_any(Bytes& packet) {
    if (is_udp(packet)) fix_udp_checksum(packet);
  }

  /// Sets the outer IP and UDP lengths to the bytes that are left.
  static void admit_length(Bytes& packet) {
    const auto size = static_cast<std::uint32_t>(packet.size());
    const bool ipv4 = packet[0] >> 4 == 4;
    store_be16(packet.data() + (ipv4 ? 2 : 4), ipv4 ? size : size - 40);
    fix_ipv4_checksum(packet);
    if (!is_udp(packet)) return;
    const std::uint32_t udp = ipv4 ? 20 : 40;
    store_be16(packet.data() + udp + 4, size - udp);
    fix_udp_checksum(packet);
  }

  static void check_whole(Bytes& bytes) {
    ASSERT_TRUE(fast_pop_agrees<Subject>(bytes));
    const auto popped = Subject::pop(bytes);
    if (!popped) return;
    const auto inner = popped->inner;
    ASSERT_GE(inner.data(), bytes.data() + 20);
    ASSERT_LE(inner.data() + inner.size(), bytes.data() + bytes.size());
    const bool ipv4 = popped->inner_family == Family::Ipv4;
    ASSERT_GE(inner.size(), ipv4 ? 20u : 40u);
    ASSERT_EQ(inner[0] >> 4, ipv4 ? 4 : 6);
    const std::size_t length = ipv4 ? load_be16(inner.data() + 2) : 40u + load_be16(&inner[4]);
    ASSERT_EQ(inner.size(), length);
  }

  static void mark(Bytes& packet, std::uint8_t ecn) {
    if (packet[0] >> 4 == 6) {
      packet[1] = static_cast<std::uint8_t>((packet[1] & 0xcf) | ecn << 4);
      return;
    }
    packet[1] = static_cast<std::uint8_t>((packet[1] & 0xfc) | ecn);
    fix_ipv4_checksum(packet);
  }

  /// The inner ECN field after decapsulation (RFC 6040, figure 4); empty if the packet is dropped.
  /// Values as in the header: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
  static std::optional<std::uint8_t> combined(int inner, int outer) {
    constexpr int kDrop = -1;
    constexpr int kTable[4][4] = {{0, 0, 0, kDrop}, {1, 1, 1, 3}, {2, 1, 2, 3}, {3, 3, 3, 3}};
    const int ecn = kTable[inner][outer];
    if (ecn == kDrop) return std::nullopt;
    return static_cast<std::uint8_t>(ecn);
  }

  /// The inner packet with the ECN field `ecn`, its checksum updated by RFC 1624, equation 3.
  static Bytes with_ecn(const RandomPacket& inner, std::uint8_t ecn) {
    Bytes bytes = inner.bytes;
    if (inner.family == Family::Ipv6 || (inner.tos & 3) == ecn) {
      if (inner.family == Family::Ipv6) mark(bytes, ecn);
      return bytes;
    }
    const std::uint32_t checksum = load_be16(bytes.data() + 10);
    const std::uint32_t from = load_be16(bytes.data());
    bytes[1] = static_cast<std::uint8_t>((bytes[1] & 0xfc) | ecn);
    std::uint32_t sum = (0xffff - checksum) + (0xffff - from) + load_be16(bytes.data());
    while (sum > 0xffff)
      sum = sum % 0x10000 + sum / 0x10000;
    store_be16(bytes.data() + 10, 0xffff - sum);
    return bytes;
  }

  RandomStream random_;
};

}  // namespace overlane::encap::testing
