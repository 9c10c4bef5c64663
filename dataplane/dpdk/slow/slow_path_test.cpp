#include "dataplane/dpdk/slow/slow_path.h"

#include <vector>

#include <gtest/gtest.h>

#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ip.h"

namespace overlane::dpdk {
namespace host_fragments_test {

using Packet = std::vector<std::uint8_t>;

Packet with_payload(std::size_t header, std::size_t payload) {
  Packet packet(header + payload);
  for (std::size_t i = 0; i < payload; ++i)
    packet[header + i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  return packet;
}

Packet ipv4(std::size_t payload) {
  Packet packet = with_payload(wire::kIpv4Bytes, payload);
  wire::write(wire::Ipv4Header{.total_length = static_cast<std::uint16_t>(packet.size()),
                               .identification = 77,
                               .dont_fragment = true,
                               .ttl = 9,
                               .protocol = wire::kUdp,
                               .source = {0x0a000001},
                               .destination = {0x0a000002}},
              packet);
  return packet;
}

Packet ipv6(std::size_t payload) {
  Packet packet = with_payload(wire::kIpv6Bytes, payload);
  wire::write(wire::Ipv6Header{.payload_length = static_cast<std::uint16_t>(payload),
                               .next_header = wire::kUdp,
                               .source = Ipv6Address{{0xfd, 1}},
                               .destination = Ipv6Address{{0xfd, 2}}},
              packet);
  return packet;
}

std::vector<Packet> fragments_of(const Packet& packet, std::uint32_t mtu) {
  std::vector<Packet> fragments;
  as_fragments(packet, mtu, 5, [&](std::span<const std::uint8_t> fragment) {
    fragments.emplace_back(fragment.begin(), fragment.end());
  });
  return fragments;
}

TEST(HostFragments, WhatFitsStaysAsItIs) {
  EXPECT_EQ(fragments_of(ipv4(1480), 1500), std::vector<Packet>(1, ipv4(1480)));
  EXPECT_EQ(fragments_of(ipv6(1460), 1500), std::vector<Packet>(1, ipv6(1460)));
}

/// A kernel fragments in this way: every fragment but the last carries a multiple of 8 bytes.
TEST(HostFragments, TheLastTakesAllThatFits) {
  const auto fragments = fragments_of(ipv4(2 * 1400 + 4), 1424);
  ASSERT_EQ(fragments.size(), 2);
  EXPECT_EQ(fragments[0].size(), wire::kIpv4Bytes + 1400);
  EXPECT_EQ(fragments[1].size(), wire::kIpv4Bytes + 1404);
}

TEST(HostFragments, OfIpv4GiveTheWhole) {
  const Packet whole = ipv4(4001);
  Packet payload;
  const auto fragments = fragments_of(whole, 1500);
  ASSERT_EQ(fragments.size(), 3);
  for (const Packet& fragment : fragments) {
    const auto header = wire::parse_ipv4(fragment);
    ASSERT_TRUE(header);
    EXPECT_LE(fragment.size(), 1500);
    EXPECT_EQ(header->total_length, fragment.size());
    EXPECT_EQ(header->fragment_offset, payload.size());
    EXPECT_EQ(header->identification, 77);
    EXPECT_EQ(header->ttl, 9);
    EXPECT_EQ(header->more_fragments, &fragment != &fragments.back());
    payload.insert(payload.end(), fragment.begin() + wire::kIpv4Bytes, fragment.end());
  }
  EXPECT_EQ(payload, Packet(whole.begin() + wire::kIpv4Bytes, whole.end()));
}

TEST(HostFragments, OfIpv6GiveTheWhole) {
  constexpr std::size_t kHeaders = wire::kIpv6Bytes + wire::kFragmentHeaderBytes;
  const Packet whole = ipv6(4001);
  Packet payload;
  const auto fragments = fragments_of(whole, 1500);
  ASSERT_EQ(fragments.size(), 3);
  for (const Packet& fragment : fragments) {
    ASSERT_GT(fragment.size(), kHeaders);
    EXPECT_LE(fragment.size(), 1500);
    EXPECT_EQ(load_be16(&fragment[4]), fragment.size() - wire::kIpv6Bytes);
    EXPECT_EQ(fragment[6], wire::kFragment);
    EXPECT_EQ(fragment[wire::kIpv6Bytes], wire::kUdp);
    const bool more = &fragment != &fragments.back();
    EXPECT_EQ(load_be16(&fragment[wire::kIpv6Bytes + 2]), payload.size() | (more ? 1u : 0u));
    EXPECT_EQ(load_be32(&fragment[wire::kIpv6Bytes + 4]), 5);
    payload.insert(payload.end(), fragment.begin() + kHeaders, fragment.end());
  }
  EXPECT_EQ(payload, Packet(whole.begin() + wire::kIpv6Bytes, whole.end()));
}

}  // namespace host_fragments_test
}  // namespace overlane::dpdk
