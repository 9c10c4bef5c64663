#include "dataplane/wire/ip.h"

#include <gtest/gtest.h>

#include "dataplane/net/checksum.h"
#include "dataplane/wire/testing/bytes.h"
#include "dataplane/wire/transport.h"
#include "sim/random/stream.h"

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

namespace ipv4_test {

using testing::Bytes;
using testing::hex;
using testing::operator+;

const Ipv4Header kHeader{.tos = 0x02,
                         .total_length = 20,
                         .identification = 0x1c46,
                         .dont_fragment = true,
                         .ttl = 63,
                         .protocol = 17,
                         .source = {0xac100a63},
                         .destination = {0xac100a0c}};

TEST(Ipv4Wire, WritesTheBytesThatWereSeenOnAWire) {
  const Ipv4Header header{.total_length = 60,
                          .identification = 0x1c46,
                          .dont_fragment = true,
                          .ttl = 64,
                          .protocol = 6,
                          .source = {0xac100a63},
                          .destination = {0xac100a0c}};
  Bytes bytes(60);
  write(header, bytes);
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 20),
            hex("45 00 00 3c 1c 46 40 00 40 06 b1 e6 ac 10 0a 63 ac 10 0a 0c "));
  EXPECT_EQ(parse_ipv4(bytes).value(), header);
}

TEST(Ipv4Wire, OffsetCountsInUnitsOfEightBytes) {
  Ipv4Header header = kHeader;
  header.dont_fragment = false;
  header.more_fragments = true;
  header.fragment_offset = 1480;
  Bytes bytes(20);
  write(header, bytes);
  EXPECT_EQ(bytes[6], 0x20);
  EXPECT_EQ(bytes[7], 185);
  EXPECT_EQ(parse_ipv4(bytes).value(), header);
}

TEST(Ipv4Wire, RefusesWhatContradictsItself) {
  struct Lie {
    const char* what;
    std::size_t at;
    std::uint8_t value;
  };
  for (const Lie& lie : {Lie{"version 6", 0, 0x65}, Lie{"header of 16 bytes", 0, 0x44},
                         Lie{"header beyond the packet", 0, 0x4f}}) {
    Bytes bytes(20);
    write(kHeader, bytes);
    bytes[lie.at] = lie.value;
    EXPECT_EQ(parse_ipv4(bytes).error(), Drop::Malformed) << lie.what;
  }
  Ipv4Header long_header = kHeader;
  long_header.total_length = 21;
  Bytes bytes(20);
  write(long_header, bytes);
  EXPECT_EQ(parse_ipv4(bytes).error(), Drop::Malformed) << "total length beyond the packet";
  EXPECT_EQ(parse_quoted_ipv4(bytes).value(), long_header) << "which a quotation may have";
}

TEST(Ipv4Wire, EveryFlippedBitIsNoticed) {
  Bytes bytes(20);
  write(kHeader, bytes);
  for (std::size_t bit = 0; bit < 160; ++bit) {
    Bytes flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_FALSE(parse_ipv4(flipped)) << bit;
  }
}

/// A header of 24 bytes with four bytes of options, and its right checksum.
Bytes with_options(const char* options) {
  Bytes bytes = Bytes(kIpv4Bytes) + hex(options);
  write(Ipv4Header{.header_bytes = 24, .total_length = 24, .protocol = 17}, bytes);
  return bytes;
}

TEST(Ipv4Wire, OptionsAreReadOneByOne) {
  const Bytes bytes = with_options("01 94 03 07");
  EXPECT_EQ(bytes[0], 0x46);
  EXPECT_EQ(internet_checksum(bytes), 0);
  const auto header = parse_ipv4(bytes).value();
  EXPECT_EQ(header.header_bytes, 24);
  Ipv4Options options(header, bytes);
  EXPECT_EQ(options.next()->kind, kIpv4Nop);
  const auto option = options.next().value();
  EXPECT_EQ(option.kind, 0x94) << "router alert, RFC 2113, here with one byte";
  EXPECT_EQ(Bytes(option.data.begin(), option.data.end()), hex("07"));
  EXPECT_FALSE(options.next());
  EXPECT_FALSE(options.malformed());
}

TEST(Ipv4Wire, OptionsEndAtTheirMark) {
  const Bytes bytes = with_options("01 00 44 ff");
  Ipv4Options options(parse_ipv4(bytes).value(), bytes);
  EXPECT_TRUE(options.next());
  EXPECT_FALSE(options.next());
  EXPECT_FALSE(options.malformed());
}

TEST(Ipv4Wire, OptionsThatLieAreRefused) {
  for (const char* options : {"94 05 00 00", "94 01 00 00", "94 00 00 00", "01 01 01 94"}) {
    const Bytes bytes = with_options(options);
    EXPECT_EQ(parse_ipv4(bytes).error(), Drop::Malformed) << options;
    EXPECT_TRUE(inspect_ipv4(bytes)->problems.has(Problem::BadOption)) << options;
  }
}

TEST(Ipv4Wire, WriteLeavesOptionsAsTheyStand) {
  Bytes bytes = with_options("94 04 00 01");
  auto header = parse_ipv4(bytes).value();
  header.ttl = 9;
  write(header, bytes);
  EXPECT_EQ(parse_ipv4(bytes).value(), header);
  EXPECT_EQ(bytes[23], 1);
}

TEST(Ipv4Wire, InspectNamesAllThatIsWrong) {
  struct Row {
    const char* bytes;
    std::vector<Problem> problems;
  };
  const Row rows[] = {
      {"45 00 00 14 00 00 00 00 40 11 66 d7 0a 00 00 01 0a 00 00 02", {}},
      {"45 00 00 15 00 00 00 00 40 11 66 d6 0a 00 00 01 0a 00 00 02",
       {Problem::LengthBeyondPacket}},
      {"45 00 00 13 00 00 00 00 40 11 66 d8 0a 00 00 01 0a 00 00 02", {Problem::LengthTooShort}},
      {"45 00 00 00 00 00 00 00 40 11 66 eb 0a 00 00 01 0a 00 00 02", {Problem::LengthTooShort}},
      {"45 00 00 14 00 00 00 00 40 11 00 00 0a 00 00 01 0a 00 00 02", {Problem::WrongChecksum}},
      {"45 00 00 14 00 00 80 00 40 11 e6 d6 0a 00 00 01 0a 00 00 02", {Problem::ReservedBits}},
      {"46 00 00 14 00 00 00 00 40 11 65 d7 0a 00 00 01 0a 00 00 02",
       {Problem::HeaderTruncated, Problem::LengthTooShort}},
      {"64 00 00 15 00 00 00 00 40 11 47 d6 0a 00 00 01 0a 00 00 02",
       {Problem::WrongVersion, Problem::HeaderTooShort, Problem::LengthBeyondPacket}},
  };
  for (const Row& row : rows) {
    const auto inspected = inspect_ipv4(hex(row.bytes)).value();
    EXPECT_EQ(inspected.problems.list(), row.problems) << row.bytes;
    EXPECT_EQ(inspected.header.destination, Ipv4Address{0x0a000002}) << row.bytes;
  }
  EXPECT_FALSE(inspect_ipv4(Bytes(19)));
}

TEST(Ipv4Wire, AFragmentThatCannotBePutTogetherIsNamedAndAccepted) {
  struct Row {
    const char* what;
    Ipv4Header header;
    bool is_bad;
  };
  const Row rows[] = {
      {"first fragment", {.total_length = 36, .more_fragments = true}, false},
      {"first fragment of 17 bytes", {.total_length = 37, .more_fragments = true}, true},
      {"last fragment of 17 bytes", {.total_length = 37, .fragment_offset = 16}, false},
      {"ends at 65,535", {.total_length = 27, .fragment_offset = 65508 / 8 * 8}, false},
      {"ends behind it", {.total_length = 32, .fragment_offset = 65504}, true},
      {"no fragment", {.total_length = 37}, false},
  };
  for (const Row& row : rows) {
    Bytes bytes(row.header.total_length);
    write(row.header, bytes);
    EXPECT_EQ(parse_ipv4(bytes).value(), row.header) << row.what;
    EXPECT_EQ(inspect_ipv4(bytes)->problems.has(Problem::BadFragment), row.is_bad) << row.what;
  }
}

TEST(Ipv4Wire, ReservedFlagIsKeptAndIgnored) {
  const Bytes bytes = hex("45 00 00 14 00 00 80 00 40 11 e6 d6 0a 00 00 01 0a 00 00 02");
  const auto header = parse_ipv4(bytes).value();
  Bytes again(20);
  write(header, again);
  EXPECT_EQ(again, bytes);
}

TEST(Ipv4Wire, ATotalLengthOfZeroIsTheFrameOnlyWhereTheCallerSaysSo) {
  Bytes bytes(70'000);
  write(Ipv4Header{.protocol = 6}, bytes);
  EXPECT_EQ(parse_ipv4(bytes).error(), Drop::Malformed);
  const auto header = parse_ipv4(bytes, ZeroLength::MeansFrame).value();
  EXPECT_EQ(packet_of(header, std::span(bytes)).size(), 70'000u);
  write(Ipv4Header{.total_length = 1500, .protocol = 6}, bytes);
  const auto padded = parse_ipv4(bytes, ZeroLength::MeansFrame).value();
  EXPECT_EQ(packet_of(padded, std::span(bytes)).size(), 1500u);
}

TEST(Ipv4Wire, ParseUndoesWrite) {
  RandomStream random(1, StreamUse::Pattern, 14);
  for (int i = 0; i < 5000; ++i) {
    const Ipv4Header header{.tos = static_cast<std::uint8_t>(random.next()),
                            .total_length = static_cast<std::uint16_t>(20 + random.below(100)),
                            .identification = static_cast<std::uint16_t>(random.next()),
                            .reserved_flag = random.below(2) == 0,
                            .dont_fragment = random.below(2) == 0,
                            .more_fragments = random.below(2) == 0,
                            .fragment_offset = static_cast<std::uint16_t>(random.below(8192) * 8),
                            .ttl = static_cast<std::uint8_t>(random.next()),
                            .protocol = static_cast<std::uint8_t>(random.next()),
                            .source = {static_cast<std::uint32_t>(random.next())},
                            .destination = {static_cast<std::uint32_t>(random.next())}};
    Bytes bytes(header.total_length);
    write(header, bytes);
    EXPECT_EQ(parse_ipv4(bytes).value(), header);
  }
}

}  // namespace ipv4_test

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
