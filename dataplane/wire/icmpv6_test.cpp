#include "dataplane/wire/icmpv6.h"

#include <gtest/gtest.h>

#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip_protocol.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::wire {
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
