#include "dataplane/wire/address_resolution.h"

#include <gtest/gtest.h>

#include "dataplane/wire/testing/bytes.h"
#include "sim/random/stream.h"

namespace overlane::wire {
namespace arp_test {

using testing::Bytes;
using testing::hex;

/// A request as Linux sends it.
const Bytes kRequest =
    hex("00 01 08 00 06 04 00 01 02 42 0a 00 00 01 0a 00 00 01 00 00 00 00 00 00 0a 00 00 02");

TEST(ArpWire, WritesAndParses) {
  const ArpPacket packet{.operation = kArpRequest,
                         .sender_mac = {{2, 0x42, 10, 0, 0, 1}},
                         .sender = {0x0a000001},
                         .target_mac = {},
                         .target = {0x0a000002}};
  EXPECT_EQ(parse_arp(kRequest).value(), packet);
  Bytes bytes(kArpBytes);
  write(packet, bytes);
  EXPECT_EQ(bytes, kRequest);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parse_arp(testing::first(bytes, size))) << size;
}

TEST(ArpWire, RefusesWhatIsNotForIpv4OverEthernet) {
  struct Row {
    const char* what;
    std::size_t at;
    std::uint8_t value;
    Problem problem;
  };
  for (const Row& row : {Row{"InfiniBand", 1, 32, Problem::UnknownKind},
                         Row{"protocol IPv6", 2, 0x86, Problem::UnknownKind},
                         Row{"MAC of 8 bytes", 4, 8, Problem::WrongSize},
                         Row{"address of 16 bytes", 5, 16, Problem::WrongSize}}) {
    Bytes bytes = kRequest;
    bytes[row.at] = row.value;
    EXPECT_EQ(inspect_arp(bytes)->problems.list(), std::vector{row.problem}) << row.what;
    EXPECT_EQ(inspect_arp(bytes)->header.target, Ipv4Address{}) << row.what;
    EXPECT_EQ(parse_arp(bytes).error(), Drop::Malformed) << row.what;
  }
}

TEST(ArpWire, ParseUndoesWrite) {
  RandomStream random(1, StreamUse::Pattern, 17);
  for (int i = 0; i < 2000; ++i) {
    Bytes bytes = kRequest;
    for (std::size_t at = 6; at < bytes.size(); ++at)
      bytes[at] = static_cast<std::uint8_t>(random.next());
    Bytes written(kArpBytes);
    write(parse_arp(bytes).value(), written);
    EXPECT_EQ(written, bytes);
  }
}

}  // namespace arp_test

namespace neighbour_discovery_test {

using testing::Bytes;
using testing::hex;
using testing::operator+;

const IpAddress kFirst = IpAddress::parse("fe80::ff:fe00:1").value();
const IpAddress kSecond = IpAddress::parse("fe80::ff:fe00:2").value();
const IpAddress kSolicitedNode = IpAddress::parse("ff02::1:ff00:2").value();
const MacAddress kFirstMac{{2, 0, 0, 0, 0, 1}};
const MacAddress kSecondMac{{2, 0, 0, 0, 0, 2}};

/// Request and answer of Linux.
const Bytes kSolicitation =
    hex("87 00 7c 97 00 00 00 00 fe 80 00 00 00 00 00 00 00 00 00 ff fe 00 00 02"
        "01 01 02 00 00 00 00 01");
const Bytes kAdvertisement =
    hex("88 00 9b 19 e0 00 00 00 fe 80 00 00 00 00 00 00 00 00 00 ff fe 00 00 02"
        "02 01 02 00 00 00 00 02");

struct Row {
  const char* what;
  NeighbourMessage message;
  IpAddress source;
  IpAddress destination;
  Bytes bytes;
};

const Row kRows[] = {
    {"a question to all that may have the address",
     {.target = kSecond.ipv6(), .mac = kFirstMac},
     kFirst,
     kSolicitedNode,
     kSolicitation},
    {"the answer of a router",
     {.type = kNeighbourAdvertisement,
      .router = true,
      .solicited = true,
      .overrides = true,
      .target = kSecond.ipv6(),
      .mac = kSecondMac},
     kSecond,
     kFirst,
     kAdvertisement},
};

TEST(NeighbourDiscoveryWire, WritesAndParses) {
  for (const Row& row : kRows) {
    Bytes bytes(row.message.bytes());
    write(row.message, row.source, row.destination, bytes);
    EXPECT_EQ(bytes, row.bytes) << row.what;
    EXPECT_EQ(parse_neighbour_message(bytes).value(), row.message) << row.what;
    EXPECT_TRUE(parse_icmpv6(row.source, row.destination, bytes)) << row.what;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const bool lacks_option_only = size == kNeighbourMessageBytes;
      EXPECT_EQ(parse_neighbour_message(testing::first(bytes, size)).has_value(), lacks_option_only)
          << row.what << size;
    }
  }
}

TEST(NeighbourDiscoveryWire, ReadsASolicitationOfLinuxForItsOwnNewAddress) {
  // With a nonce option (RFC 7527).
  const Bytes bytes =
      hex("87 00 0e 9c 00 00 00 00 fe 80 00 00 00 00 00 00 00 00 00 ff fe 00 00 02 "
          "0e 01 9d 06 7c ca 46 ad");
  EXPECT_EQ(parse_neighbour_message(bytes).value(), NeighbourMessage{.target = kSecond.ipv6()});
}

TEST(NeighbourDiscoveryWire, TheFirstOptionOfItsKindCounts) {
  const Bytes nonce = hex("0e 01 01 02 03 04 05 06");
  const Bytes target_address = hex("02 01 02 00 00 00 00 09");
  const Bytes source_address = hex("01 01 02 00 00 00 00 07");
  const Bytes bytes = testing::first(kSolicitation, kNeighbourMessageBytes) + nonce +
                      target_address + source_address + hex("01 01 02 00 00 00 00 08");
  EXPECT_EQ(parse_neighbour_message(bytes)->mac, (MacAddress{{2, 0, 0, 0, 0, 7}}));
}

TEST(NeighbourDiscoveryWire, RefusesWhatContradictsItself) {
  struct Change {
    const char* what;
    std::size_t at;
    std::uint8_t value;
    Problem problem;
  };
  for (const Change& row : {Change{"an echo request", 0, 128, Problem::UnknownKind},
                            Change{"a code", 1, 1, Problem::UnknownKind},
                            Change{"an option without length", 25, 0, Problem::BadOption},
                            Change{"an option beyond the message", 25, 2, Problem::BadOption}}) {
    Bytes bytes = kSolicitation;
    bytes[row.at] = row.value;
    EXPECT_TRUE(inspect_neighbour_message(bytes)->problems.has(row.problem)) << row.what;
    EXPECT_EQ(parse_neighbour_message(bytes).error(), Drop::Malformed) << row.what;
  }
  Bytes long_address = kSolicitation + Bytes(8);
  long_address[25] = 2;
  EXPECT_EQ(inspect_neighbour_message(long_address)->problems.list(),
            std::vector{Problem::WrongSize});
  EXPECT_EQ(parse_neighbour_message(kSolicitation + Bytes(1)).error(), Drop::Malformed);
}

TEST(NeighbourDiscoveryWire, ReservedBitsAreNamedAndIgnored) {
  Bytes bytes = kAdvertisement;
  bytes[4] |= 0x10;
  EXPECT_EQ(inspect_neighbour_message(bytes)->problems.list(), std::vector{Problem::ReservedBits});
  EXPECT_EQ(parse_neighbour_message(bytes).value(), kRows[1].message);
  bytes = kSolicitation;
  bytes[4] = 0xe0;
  EXPECT_FALSE(parse_neighbour_message(bytes)->router) << "a solicitation has no flags";
}

}  // namespace neighbour_discovery_test
}  // namespace overlane::wire
