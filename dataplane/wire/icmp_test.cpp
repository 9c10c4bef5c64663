#include "dataplane/wire/icmp.h"

#include <gtest/gtest.h>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/testing/bytes.h"
#include "sim/random/stream.h"

namespace overlane::wire {
namespace icmp_test {

using testing::Bytes;
using testing::hex;

struct Row {
  const char* bytes;
  IcmpHeader header;
  const char* name;
  bool is_error;
};

/// Every type of RFC 792.
const Row kRows[] = {
    {"00 00 d6 a8 29 52 00 05",
     {.type = 0, .identifier = 0x2952, .sequence = 5},
     "echo reply",
     false},
    {"03 01 fc fe 00 00 00 00", {.type = 3, .code = 1}, "destination unreachable", true},
    {"03 04 f7 33 00 00 05 c8",
     {.type = 3, .code = 4, .next_hop_mtu = 1480},
     "destination unreachable",
     true},
    {"03 03 fc dc 00 20 00 00",
     {.type = 3, .code = 3, .quoted_words = 32},
     "destination unreachable",
     true},
    {"04 00 fb ff 00 00 00 00", {.type = 4}, "source quench", true},
    {"05 01 f0 fd 0a 00 00 01", {.type = 5, .code = 1, .gateway = {0x0a000001}}, "redirect", true},
    {"08 00 ce 96 29 52 00 17", {.type = 8, .identifier = 0x2952, .sequence = 0x17}, "echo", false},
    {"0b 00 f4 ff 00 00 00 00", {.type = 11}, "time exceeded", true},
    {"0c 00 df ff 14 00 00 00", {.type = 12, .pointer = 20}, "parameter problem", true},
    {"0d 00 f2 fc 00 01 00 02", {.type = 13, .identifier = 1, .sequence = 2}, "timestamp", false},
    {"0e 00 f1 fc 00 01 00 02",
     {.type = 14, .identifier = 1, .sequence = 2},
     "timestamp reply",
     false},
    {"0f 00 f0 fc 00 01 00 02",
     {.type = 15, .identifier = 1, .sequence = 2},
     "information request",
     false},
    {"10 00 ef fc 00 01 00 02",
     {.type = 16, .identifier = 1, .sequence = 2},
     "information reply",
     false},
};

TEST(IcmpWire, EveryTypeOfRfc792IsReadAndWritten) {
  for (const Row& row : kRows) {
    const Bytes bytes = hex(row.bytes);
    EXPECT_EQ(parse_icmp(bytes).value(), row.header) << row.bytes;
    EXPECT_TRUE(inspect_icmp(bytes)->problems.empty()) << row.bytes;
    EXPECT_EQ(icmp_name(row.header.type), row.name);
    EXPECT_EQ(row.header.is_error(), row.is_error) << row.name;
    Bytes written(8);
    write(row.header, written);
    EXPECT_EQ(written, bytes) << row.name;
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(parse_icmp(testing::first(bytes, size))) << row.bytes << size;
  }
}

TEST(IcmpWire, TheChecksumCoversWhatFollows) {
  const IcmpHeader header{.type = 3, .code = 4, .next_hop_mtu = 1480};
  Bytes bytes(36, 0x11);
  write(header, bytes);
  EXPECT_EQ(internet_checksum(bytes), 0);
  EXPECT_EQ(parse_icmp(bytes).value(), header);
  bytes[20] ^= 1;
  EXPECT_EQ(parse_icmp(bytes).error(), Drop::BadChecksum);
  EXPECT_EQ(inspect_icmp(bytes)->header, header);
}

TEST(IcmpWire, UnusedBitsAreNamedAndIgnored) {
  const Bytes bytes = hex("0b 00 f4 fe 00 00 00 01");
  EXPECT_EQ(parse_icmp(bytes).value(), IcmpHeader{.type = 11});
  EXPECT_EQ(inspect_icmp(bytes)->problems.list(), std::vector{Problem::ReservedBits});
}

TEST(IcmpWire, AnUnknownTypeIsReadWithoutItsFields) {
  const Bytes bytes = hex("2a 00 d5 fd 00 01 00 01");
  EXPECT_EQ(parse_icmp(bytes).value(), IcmpHeader{.type = 42});
  EXPECT_EQ(icmp_name(42), "");
  EXPECT_FALSE(IcmpHeader{.type = 42}.is_error());
  EXPECT_TRUE(inspect_icmp(bytes)->problems.empty());
}

}  // namespace icmp_test

namespace icmpv6_test {

using testing::Bytes;
using testing::hex;

const IpAddress kSource = IpAddress::parse("fe80::ff:fe00:a01").value();
const IpAddress kDestination = IpAddress::parse("ff02::1:ff00:2").value();

struct Row {
  const char* second;  ///< The second word.
  Icmpv6Header header;
  const char* name;
};

const Row kRows[] = {
    {"00 00 00 00", {.type = 1, .code = 4}, "destination unreachable"},
    {"10 00 00 00", {.type = 1, .quoted_units = 16}, "destination unreachable"},
    {"00 00 05 aa", {.type = 2, .mtu = 1450}, "packet too big"},
    {"00 00 00 00", {.type = 3}, "time exceeded"},
    {"00 00 00 28", {.type = 4, .code = 1, .pointer = 40}, "parameter problem"},
    {"29 52 00 17", {.type = 128, .identifier = 0x2952, .sequence = 0x17}, "echo request"},
    {"29 52 00 17", {.type = 129, .identifier = 0x2952, .sequence = 0x17}, "echo reply"},
};

TEST(Icmpv6Wire, EveryTypeOfRfc4443IsReadAndWritten) {
  for (const Row& row : kRows) {
    Bytes bytes(8);
    write(row.header, kSource, kDestination, bytes);
    EXPECT_EQ(Bytes(bytes.begin() + 4, bytes.end()), hex(row.second)) << row.name;
    EXPECT_EQ(transport_checksum(kSource, kDestination, kIcmpv6, bytes), 0) << row.name;
    EXPECT_EQ(parse_icmpv6(kSource, kDestination, bytes).value(), row.header) << row.name;
    EXPECT_TRUE(inspect_icmpv6(kSource, kDestination, bytes)->problems.empty()) << row.name;
    EXPECT_EQ(icmpv6_name(row.header.type), row.name);
    EXPECT_EQ(row.header.is_error(), row.header.type < 128) << row.name;
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(parse_icmpv6(kSource, kDestination, testing::first(bytes, size))) << size;
  }
}

TEST(Icmpv6Wire, ReadsANeighbourSolicitationOfLinux) {
  const Bytes bytes =
      hex("87 00 0e 9c 00 00 00 00 fe 80 00 00 00 00 00 00 00 00 00 ff fe 00 00 02 "
          "0e 01 9d 06 7c ca 46 ad");
  const auto header = parse_icmpv6(IpAddress::parse("::").value(), kDestination, bytes).value();
  EXPECT_EQ(header, Icmpv6Header{.type = kNeighbourSolicitation});
  EXPECT_EQ(icmpv6_name(header.type), "neighbor solicitation");
}

TEST(Icmpv6Wire, TheChecksumCoversTheAddresses) {
  Bytes bytes(48, 0x33);
  write(Icmpv6Header{.type = 2, .mtu = 1280}, kSource, kDestination, bytes);
  EXPECT_TRUE(parse_icmpv6(kSource, kDestination, bytes));
  EXPECT_EQ(parse_icmpv6(kSource, kSource, bytes).error(), Drop::BadChecksum);
  bytes[47] ^= 1;
  EXPECT_EQ(parse_icmpv6(kSource, kDestination, bytes).error(), Drop::BadChecksum);
  EXPECT_EQ(inspect_icmpv6(kSource, kDestination, bytes)->header.mtu, 1280u);
}

TEST(Icmpv6Wire, UnusedBitsAreNamedAndIgnored) {
  Bytes bytes(8);
  write(Icmpv6Header{.type = 2, .mtu = 7}, kSource, kDestination, bytes);
  bytes[0] = 3;
  bytes[2] = static_cast<std::uint8_t>(bytes[2] - 1);
  const auto inspected = inspect_icmpv6(kSource, kDestination, bytes).value();
  EXPECT_EQ(inspected.problems.list(), std::vector{Problem::ReservedBits});
  EXPECT_EQ(inspected.header, Icmpv6Header{.type = 3});
}

}  // namespace icmpv6_test
}  // namespace overlane::wire
