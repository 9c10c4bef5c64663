#include "dataplane/wire/ip_packet.h"

#include <gtest/gtest.h>

#include "dataplane/net/checksum.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/udp.h"

namespace overlane::wire {

namespace ip_packet_test {

FlowKey flow(const char* source, const char* destination, std::uint8_t protocol) {
  return {.source = IpAddress::parse(source).value(),
          .destination = IpAddress::parse(destination).value(),
          .source_port = 40000,
          .destination_port = 53,
          .protocol = protocol};
}

/// The UDP header behind `header` bytes, when the checksum over it and the payload is right.
UdpHeader datagram(const FlowKey& key, std::span<const std::uint8_t> packet, std::size_t header) {
  const auto segment = packet.subspan(header);
  EXPECT_EQ(transport_checksum(key.source, key.destination, kUdp, segment), 0);
  return parse_udp(segment).value();
}

TEST(IpPacket, HasTheHeadersOfItsFlow) {
  const FlowKey key = flow("10.0.0.1", "10.0.0.2", kUdp);
  const auto packet = ip_packet(key, 100);
  ASSERT_EQ(packet.size(), 100u);
  const auto ip = parse_ipv4(packet).value();
  EXPECT_EQ(ip.total_length, 100);
  EXPECT_EQ(IpAddress(ip.source), key.source);
  EXPECT_EQ(IpAddress(ip.destination), key.destination);
  const UdpHeader udp = datagram(key, packet, kIpv4Bytes);
  EXPECT_EQ(udp.source_port, 40000);
  EXPECT_EQ(udp.destination_port, 53);
  EXPECT_EQ(udp.length, 80);
}

TEST(IpPacket, OfIpv6) {
  const FlowKey key = flow("fd00::1", "fd00::2", kUdp);
  const auto packet = ip_packet(key, 101);
  const auto ip = parse_ipv6(packet).value();
  EXPECT_EQ(ip.payload_length, 61);
  EXPECT_EQ(ip.source, key.source);
  EXPECT_EQ(datagram(key, packet, kIpv6Bytes).length, 61);
}

TEST(IpPacket, OfAnotherProtocolHasZerosBehindItsHeader) {
  const auto packet = ip_packet(flow("10.0.0.1", "10.0.0.2", 99), 28);
  EXPECT_EQ(parse_ipv4(packet).value().protocol, 99);
  const std::vector<std::uint8_t> payload(packet.begin() + kIpv4Bytes, packet.end());
  EXPECT_EQ(payload, std::vector<std::uint8_t>(8));
}

}  // namespace ip_packet_test

}  // namespace overlane::wire
