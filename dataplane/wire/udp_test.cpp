#include "dataplane/wire/udp.h"

#include <gtest/gtest.h>

#include "dataplane/wire/testing/bytes.h"
#include "sim/random/stream.h"

namespace overlane::wire {
namespace udp_test {

using testing::Bytes;
using testing::hex;

TEST(UdpWire, WritesAndParses) {
  const UdpHeader header{.source_port = 0x9c40, .destination_port = 4789, .length = 12};
  Bytes bytes(12);
  write(header, bytes);
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 8), hex("9c 40 12 b5 00 0c 00 00 "));
  EXPECT_EQ(parse_udp(bytes).value(), header);
  bytes[5] = 13;
  EXPECT_FALSE(parse_udp(bytes)) << "length beyond the packet";
  bytes[5] = 7;
  EXPECT_FALSE(parse_udp(bytes)) << "length under the header";
}

TEST(UdpWire, ALengthOfZeroIsTheSegmentOnlyWhereTheCallerSaysSo) {
  Bytes bytes(70'000);
  write(UdpHeader{.length = 0}, bytes);
  EXPECT_EQ(parse_udp(bytes).error(), Drop::Malformed);
  EXPECT_EQ(inspect_udp(bytes)->problems.list(), std::vector{Problem::LengthTooShort});
  const auto header = parse_udp(bytes, ZeroLength::MeansFrame).value();
  EXPECT_EQ(datagram_of(header, std::span(bytes)).size(), 70'000u);
}

TEST(UdpWire, CutAtAnyByteIsRefused) {
  const Bytes bytes = hex("00 35 9c 40 00 0c 12 34 00 01 02 03");
  EXPECT_TRUE(parse_udp(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parse_udp(testing::first(bytes, size))) << size;
}

TEST(UdpWire, ParseUndoesWrite) {
  RandomStream random(1, StreamUse::Pattern, 16);
  for (int i = 0; i < 2000; ++i) {
    const UdpHeader header{.source_port = static_cast<std::uint16_t>(random.next()),
                           .destination_port = static_cast<std::uint16_t>(random.next()),
                           .length = static_cast<std::uint16_t>(8 + random.below(100)),
                           .checksum = static_cast<std::uint16_t>(random.next())};
    Bytes bytes(header.length);
    write(header, bytes);
    EXPECT_EQ(parse_udp(bytes).value(), header);
  }
}

}  // namespace udp_test
}  // namespace overlane::wire
