#include "dataplane/wire/ipv4.h"

#include <gtest/gtest.h>

#include "dataplane/net/checksum.h"
#include "dataplane/wire/testing/bytes.h"
#include "sim/random/stream.h"

namespace overlane::wire {
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
}  // namespace overlane::wire
