#include "dataplane/wire/ipv6.h"

#include <gtest/gtest.h>

#include "dataplane/wire/testing/bytes.h"
#include "sim/random/stream.h"

namespace overlane::wire {

namespace ipv6_test {

using testing::Bytes;
using testing::hex;
using testing::operator+;

const IpAddress kSource = IpAddress::parse("2001:db8::1").value();
const IpAddress kDestination = IpAddress::parse("2001:db8::2").value();

/// A packet whose headers behind the fixed one are `rest`, the first of them `next_header`.
Bytes packet_with(std::uint8_t next_header, const Bytes& rest) {
  Bytes bytes(kIpv6Bytes);
  write(Ipv6Header{.payload_length = static_cast<std::uint16_t>(rest.size()),
                   .next_header = next_header,
                   .source = kSource,
                   .destination = kDestination},
        bytes);
  return bytes + rest;
}

TEST(Ipv6Wire, WritesAndParses) {
  const Ipv6Header header{.traffic_class = 0xb9,
                          .flow_label = 0x12345,
                          .payload_length = 4,
                          .next_header = 17,
                          .hop_limit = 63,
                          .source = kSource,
                          .destination = kDestination};
  Bytes bytes(44);
  write(header, bytes);
  EXPECT_EQ(bytes, hex("6b 91 23 45 00 04 11 3f 20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 01 "
                       "20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00 00"));
  EXPECT_EQ(parse_ipv6(bytes).value(), header);
  bytes.push_back(0);
  EXPECT_EQ(parse_ipv6(bytes).value(), header) << "with link padding";
}

TEST(Ipv6Wire, RefusesWhatContradictsItself) {
  const Bytes packet = packet_with(kNoNextHeader, Bytes(8));
  for (std::size_t size = 0; size < packet.size(); ++size) {
    const Bytes part = testing::first(packet, size);
    EXPECT_EQ(parse_ipv6(part).error(), Drop::Malformed) << size;
    EXPECT_EQ(parse_quoted_ipv6(part).has_value(), size >= kIpv6Bytes) << size;
  }
  Bytes version_4 = packet;
  version_4[0] = 0x45;
  EXPECT_EQ(parse_ipv6(version_4).error(), Drop::Malformed);
  for (const std::size_t address : {8U, 24U}) {
    Bytes mapped = packet;
    const Bytes form = hex("00 00 00 00 00 00 00 00 00 00 ff ff 0a 00 00 01");
    std::copy(form.begin(), form.end(), mapped.begin() + static_cast<std::ptrdiff_t>(address));
    EXPECT_EQ(parse_ipv6(mapped).error(), Drop::Malformed) << address;
  }
}

TEST(Ipv6Wire, InspectNamesAllThatIsWrong) {
  Bytes bytes = packet_with(kNoNextHeader, {});
  EXPECT_TRUE(inspect_ipv6(bytes)->problems.empty());
  bytes[5] = 1;
  bytes[0] = 0x40;
  const auto inspected = inspect_ipv6(bytes).value();
  EXPECT_EQ(inspected.problems.list(),
            (std::vector{Problem::WrongVersion, Problem::LengthBeyondPacket}));
  EXPECT_EQ(inspected.header.destination, kDestination);
  EXPECT_FALSE(inspect_ipv6(testing::first(bytes, 39)));
}

TEST(Ipv6Wire, APayloadLengthOfZeroIsTheFrameOnlyWhereTheCallerSaysSo) {
  Bytes bytes = packet_with(17, {});
  bytes.resize(70'000);
  const auto header = parse_ipv6(bytes).value();
  EXPECT_EQ(packet_of(header, std::span(bytes)).size(), 40u);
  EXPECT_EQ(packet_of(header, std::span(bytes), ZeroLength::MeansFrame).size(), 70'000u);
}

TEST(Ipv6Wire, ParseUndoesWrite) {
  RandomStream random(1, StreamUse::Pattern, 15);
  for (int i = 0; i < 5000; ++i) {
    Ipv6Header header{.traffic_class = static_cast<std::uint8_t>(random.next()),
                      .flow_label = static_cast<std::uint32_t>(random.below(1 << 20)),
                      .payload_length = static_cast<std::uint16_t>(random.below(100)),
                      .next_header = static_cast<std::uint8_t>(random.next()),
                      .hop_limit = static_cast<std::uint8_t>(random.next())};
    for (IpAddress* address : {&header.source, &header.destination}) {
      address->high = random.next() | 1;
      address->low = random.next();
    }
    Bytes bytes(kIpv6Bytes + header.payload_length);
    write(header, bytes);
    EXPECT_EQ(parse_ipv6(bytes).value(), header);
  }
}

struct ExtensionRow {
  const char* packet;
  std::uint8_t first;
  Bytes headers;
  std::uint8_t protocol;
  std::size_t offset;
  std::optional<FragmentHeader> fragment = std::nullopt;
};

const Bytes kHopByHopThenUdp = hex("11 00 01 04 00 00 00 00");
const Bytes kUdp = hex("00 01 00 02 00 08 00 00");

TEST(Ipv6Extension, TheWalkFindsTheUpperLayer) {
  const ExtensionRow rows[] = {
      {"none", 17, kUdp, 17, 40},
      {"no next header", 59, {}, 59, 40},
      {"ESP, which hides the rest", 50, Bytes(16), 50, 40},
      {"hop-by-hop", 0, kHopByHopThenUdp + kUdp, 17, 48},
      {"routing", 43, hex("06 00 03 00 00 00 00 00") + Bytes(20), 6, 48},
      {"destination options of 16 bytes", 60, hex("06 01 01 0c") + Bytes(12) + kUdp, 6, 56},
      {"AH of 24 bytes", 51, hex("06 04 00 00") + Bytes(20), 6, 64},
      {"the order of RFC 8200", 0,
       hex("3c 00 01 04 00 00 00 00  2b 00 01 04 00 00 00 00  2c 00 03 00 00 00 00 00  "
           "33 00 00 01 00 00 00 07  3c 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00  11 00 01 04 "
           "00 00 00 00") +
           kUdp,
       17, 96, FragmentHeader{51, 0, true, 7}},
      {"a later fragment, whose payload only looks like a header", 44,
       hex("3c 00 05 a8 00 00 00 09") + Bytes(8), 60, 48, FragmentHeader{60, 1448, false, 9}},
      {"an atomic fragment", 44, hex("11 00 00 00 00 00 00 09") + kUdp, 17, 48,
       FragmentHeader{17, 0, false, 9}},
      {"no byte behind it", 60, hex("3b 00 01 04 00 00 00 00"), 59, 48},
      {"an encapsulation limit of Linux", 60, hex("29 00 04 01 04 01 01 00") + Bytes(40), 41, 48},
  };
  for (const ExtensionRow& row : rows) {
    const Bytes packet = packet_with(row.first, row.headers);
    const auto upper = find_upper_layer(packet);
    ASSERT_TRUE(upper) << row.packet;
    EXPECT_EQ(upper->protocol, row.protocol) << row.packet;
    EXPECT_EQ(upper->offset, row.offset) << row.packet;
    EXPECT_EQ(upper->fragment, row.fragment) << row.packet;
    if (upper->fragment) {
      Bytes written(kFragmentHeaderBytes);
      write(*upper->fragment, written);
      const auto at = static_cast<std::ptrdiff_t>(upper->fragment_header_offset);
      EXPECT_TRUE(std::equal(written.begin(), written.end(), packet.begin() + at)) << row.packet;
    }
    for (std::size_t size = kIpv6Bytes; size < row.offset; ++size)
      EXPECT_FALSE(find_upper_layer(testing::first(packet, size))) << row.packet << size;
  }
}

TEST(Ipv6Extension, WhatCannotBeFollowedIsMalformed) {
  const Bytes again = hex("00 00 01 04 00 00 00 00");
  EXPECT_FALSE(find_upper_layer(packet_with(0, again + kHopByHopThenUdp))) << "second hop-by-hop";
  EXPECT_FALSE(find_upper_layer(packet_with(60, hex("11 01 01 04 00 00 00 00")))) << "too long";
  Bytes chain;
  for (int i = 0; i < kMaxExtensionHeaders; ++i)
    chain = chain + hex("3c 00 01 04 00 00 00 00");
  Bytes ends = chain;
  ends[ends.size() - 8] = 59;
  EXPECT_TRUE(find_upper_layer(packet_with(60, ends)));
  EXPECT_FALSE(find_upper_layer(packet_with(60, chain + ends))) << "endless";
}

TEST(Ipv6Extension, AFragmentThatCannotBePutTogetherIsTold) {
  EXPECT_FALSE(is_bad_fragment({.more_fragments = true}, 16));
  EXPECT_TRUE(is_bad_fragment({.more_fragments = true}, 17));
  EXPECT_FALSE(is_bad_fragment({.offset = 16}, 17));
  EXPECT_FALSE(is_bad_fragment({.offset = 65528}, 7));
  EXPECT_TRUE(is_bad_fragment({.offset = 65528}, 8));
}

TEST(Ipv6Extension, OptionsAreReadOneByOne) {
  const Bytes packet = packet_with(0, hex("11 01 c2 04 00 01 00 00  00 05 02 00 00 01 01 00"));
  Ipv6Extensions extensions(packet);
  Ipv6Options options(extensions.next().value());
  const auto jumbo = options.next().value();
  EXPECT_EQ(jumbo.type, kJumboPayload);
  EXPECT_EQ(Bytes(jumbo.data.begin(), jumbo.data.end()), hex("00 01 00 00"));
  EXPECT_EQ(options.next()->type, kPad1);
  EXPECT_EQ(options.next()->type, 5) << "router alert";
  EXPECT_EQ(options.next()->type, kPadN);
  EXPECT_FALSE(options.next());
  EXPECT_FALSE(options.malformed());
}

TEST(Ipv6Extension, AnOptionBeyondItsHeaderIsMalformed) {
  for (const char* text : {"11 00 01 05 00 00 00 00", "11 00 01 03 00 00 00 05"}) {
    const Bytes packet = packet_with(0, hex(text));
    Ipv6Extensions extensions(packet);
    Ipv6Options options(extensions.next().value());
    while (options.next()) {
    }
    EXPECT_TRUE(options.malformed()) << text;
  }
}

TEST(Ipv6Extension, AnyBytesEndTheWalkInsideThePacket) {
  RandomStream random(1, StreamUse::Pattern, 12);
  for (int i = 0; i < 20'000; ++i) {
    Bytes rest(random.below(120));
    for (std::uint8_t& byte : rest)
      byte = static_cast<std::uint8_t>(random.below(3) == 0 ? 60 : random.below(4));
    const Bytes packet = packet_with(random.below(2) == 0 ? 60 : 0, rest);
    if (const auto upper = find_upper_layer(packet)) {
      EXPECT_LE(upper->offset, packet.size());
    }
  }
}

}  // namespace ipv6_test

}  // namespace overlane::wire
