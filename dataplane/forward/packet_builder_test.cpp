#include "dataplane/forward/packet_builder.h"

#include <gtest/gtest.h>

namespace overlane::forward {
namespace packet_builder_test {

const IpAddress kSource = IpAddress::parse("100.96.1.10").value();
const IpAddress kDestination = IpAddress::parse("100.96.2.10").value();
const IpAddress kSourceV6 = IpAddress::parse("fd00:10:96:1::10").value();
const IpAddress kDestinationV6 = IpAddress::parse("fd00:10:96:2::10").value();

TEST(PacketBuilder, WithoutALengthAPacketIsItsHeaders) {
  EXPECT_EQ(PacketBuilder::udp(kSource, kDestination).build().inner.total_length, 28u);
  EXPECT_EQ(PacketBuilder::tcp(kSource, kDestination).build().inner.total_length, 40u);
  EXPECT_EQ(PacketBuilder::tcp(kSourceV6, kDestinationV6).build().inner.total_length, 60u);
  EXPECT_EQ(PacketBuilder(132, kSource, kDestination).build().inner.total_length, 20u);
}

TEST(PacketBuilder, SetsWhatItIsToldAndNothingElse) {
  const Packet expected{.inner = {.source = kSource,
                                  .destination = kDestination,
                                  .identification = 7,
                                  .total_length = 1400,
                                  .dont_fragment = true,
                                  .protocol = kTcp,
                                  .ttl = 3},
                        .source_port = 40000,
                        .destination_port = 80,
                        .tcp_flags = 0x12};
  EXPECT_EQ(PacketBuilder::tcp(kSource, kDestination, 0x12)
                .ports(40000, 80)
                .length(1400)
                .identification(7)
                .dont_fragment()
                .ttl(3)
                .build(),
            expected);
}

TEST(PacketBuilder, Ipv6HasNoDontFragmentBit) {
  const Packet packet = PacketBuilder::udp(kSourceV6, kDestinationV6).dont_fragment().build();
  EXPECT_FALSE(packet.inner.dont_fragment);
}

TEST(PacketBuilder, AnEchoHasItsIdentifierAndTypeAsPorts) {
  const Packet request = PacketBuilder::echo_request(kSource, kDestination, 9).build();
  EXPECT_TRUE(request.inner.is_icmp());
  EXPECT_EQ(request.source_port, 9);
  EXPECT_EQ(request.destination_port, 0x0800);
  EXPECT_EQ(PacketBuilder::echo_reply(kSource, kDestination, 9).build().destination_port, 0);
  const Packet v6 = PacketBuilder::echo_reply(kSourceV6, kDestinationV6, 9).build();
  EXPECT_TRUE(v6.inner.is_icmp());
  EXPECT_EQ(v6.destination_port, 0x8100);
}

}  // namespace packet_builder_test
}  // namespace overlane::forward
