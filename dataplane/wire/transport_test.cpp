#include "dataplane/wire/transport.h"

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

namespace tcp_test {

using testing::Bytes;
using testing::hex;
using testing::operator+;

const Bytes kFixed = hex("c3 50 00 50 01 02 03 04 0a 0b 0c 0d 50 10 fa f0 12 34 00 00");

TcpHeader fixed() {
  return {.source_port = 50000,
          .destination_port = 80,
          .sequence = 0x01020304,
          .acknowledgement = 0x0a0b0c0d,
          .flags = kTcpAck,
          .window = 64240,
          .checksum = 0x1234};
}

/// A header with these options, padded by the caller to whole words.
Bytes with_options(const char* options) {
  const Bytes tail = hex(options);
  Bytes bytes = kFixed + tail;
  bytes[12] = static_cast<std::uint8_t>((20 + tail.size()) / 4 << 4);
  return bytes;
}

struct Row {
  const char* what;
  const char* options;
  TcpHeader header;
};

/// Headers as Linux writes them.
std::vector<Row> rows() {
  std::vector<Row> rows;
  const auto add = [&rows](const char* what, const char* options, auto change) {
    rows.push_back({what, options, fixed()});
    change(rows.back().header);
  };
  add("none", "", [](TcpHeader&) {});
  add("MSS", "02 04 05 94", [](TcpHeader& h) { h.mss = 1428; });
  add("timestamps", "01 01 08 0a 00 00 00 07 00 00 00 09", [](TcpHeader& h) {
    h.timestamps = {7, 9};
  });
  add("SACK permitted alone", "01 01 04 02", [](TcpHeader& h) { h.sack_permitted = true; });
  add("a SYN", "02 04 05 b4 04 02 08 0a 6b c2 4d 97 00 00 00 00 01 03 03 07", [](TcpHeader& h) {
    h.mss = 1460;
    h.sack_permitted = true;
    h.timestamps = {0x6bc24d97, 0};
    h.window_scale = 7;
  });
  add("two SACK blocks behind timestamps",
      "01 01 08 0a 00 00 00 07 00 00 00 09 01 01 05 12 00 00 00 01 00 00 00 02 00 00 00 05 "
      "00 00 00 06",
      [](TcpHeader& h) {
        h.timestamps = {7, 9};
        h.sack_blocks = {TcpSackBlock{1, 2}, TcpSackBlock{5, 6}};
        h.sack_block_count = 2;
      });
  return rows;
}

TEST(TcpWire, OptionsAreReadAndWrittenAsLinuxDoes) {
  for (const Row& row : rows()) {
    const Bytes bytes = with_options(row.options);
    const auto parsed = parse_tcp(bytes).value();
    EXPECT_EQ(parsed.header, row.header) << row.what;
    EXPECT_EQ(parsed.header_bytes, bytes.size()) << row.what;
    EXPECT_TRUE(inspect_tcp(bytes)->problems.empty()) << row.what;
    ASSERT_EQ(header_bytes(row.header), bytes.size()) << row.what;
    Bytes written(bytes.size());
    write(row.header, written);
    EXPECT_EQ(written, bytes) << row.what;
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_EQ(parse_tcp(testing::first(bytes, size)).has_value(), false) << row.what << size;
  }
}

TEST(TcpWire, OtherOptionsAreSkipped) {
  // TCP Fast Open (34), MPTCP (30), the end mark and what is behind it.
  const auto inspected = inspect_tcp(with_options("22 02 1e 04 00 00 02 04 05 94 00 ff")).value();
  EXPECT_TRUE(inspected.problems.empty());
  EXPECT_EQ(inspected.header.header.mss, 1428);
}

TEST(TcpWire, OptionsThatLieAreIgnored) {
  struct Lie {
    const char* what;
    const char* options;
    bool mss_is_read;  ///< The MSS that stands behind it.
  };
  const Lie lies[] = {
      {"MSS of 3 bytes", "02 03 05 01 02 04 05 94", true},
      {"timestamps of 4 bytes", "08 04 00 00 02 04 05 94", true},
      {"SACK of half a block", "05 06 00 00 00 00 01 01 02 04 05 94", true},
      {"SACK without a block", "05 02 01 01 02 04 05 94", true},
      {"SACK permitted of 4 bytes", "04 04 00 00 02 04 05 94", true},
      {"window scale of 4 bytes", "03 04 00 00 02 04 05 94", true},
      {"a length of 0", "1e 00 01 01 02 04 05 94", false},
      {"a length of 1", "1e 01 01 01 02 04 05 94", false},
      {"a length beyond the header", "1e 09 01 01 02 04 05 94", false},
      {"a kind without a length", "01 01 01 02", false},
  };
  for (const Lie& lie : lies) {
    const Bytes bytes = with_options(lie.options);
    const auto inspected = inspect_tcp(bytes).value();
    EXPECT_EQ(inspected.problems.list(), std::vector{Problem::IgnoredOption}) << lie.what;
    TcpHeader expected = fixed();
    if (lie.mss_is_read) expected.mss = 1428;
    EXPECT_EQ(parse_tcp(bytes)->header, expected) << lie.what;
  }
}

TEST(TcpWire, AHeaderLengthThatLiesIsRefused) {
  Bytes bytes = kFixed;
  bytes[12] = 0x40;
  EXPECT_EQ(inspect_tcp(bytes)->problems.list(), std::vector{Problem::HeaderTooShort});
  EXPECT_EQ(parse_tcp(bytes).error(), Drop::Malformed);
  bytes[12] = 0x60;
  EXPECT_EQ(inspect_tcp(bytes)->problems.list(), std::vector{Problem::HeaderTruncated});
  EXPECT_EQ(parse_tcp(bytes).error(), Drop::Malformed);
}

TcpHeader random_header(RandomStream& random) {
  TcpHeader header{.source_port = static_cast<std::uint16_t>(random.next()),
                   .destination_port = static_cast<std::uint16_t>(random.next()),
                   .sequence = static_cast<std::uint32_t>(random.next()),
                   .acknowledgement = static_cast<std::uint32_t>(random.next()),
                   .flags = static_cast<std::uint8_t>(random.next()),
                   .reserved_4 = static_cast<std::uint8_t>(random.below(16)),
                   .window = static_cast<std::uint16_t>(random.next()),
                   .checksum = static_cast<std::uint16_t>(random.next()),
                   .urgent = static_cast<std::uint16_t>(random.next())};
  if (random.below(2) == 0) header.mss = static_cast<std::uint16_t>(random.next());
  if (random.below(2) == 0) header.window_scale = static_cast<std::uint8_t>(random.below(15));
  header.sack_permitted = random.below(2) == 0;
  if (random.below(2) == 0) header.timestamps = {static_cast<std::uint32_t>(random.next()), 5};
  header.sack_block_count = static_cast<std::uint8_t>(random.below(5));
  for (std::size_t i = 0; i < header.sack_block_count; ++i)
    header.sack_blocks[i] = {static_cast<std::uint32_t>(random.next()), 6};
  return header;
}

TEST(TcpWire, ParseUndoesWrite) {
  RandomStream random(1, StreamUse::Pattern, 18);
  int written = 0;
  for (int i = 0; i < 5000; ++i) {
    const TcpHeader header = random_header(random);
    if (header_bytes(header) > kTcpMaxBytes) continue;
    Bytes bytes(header_bytes(header));
    write(header, bytes);
    EXPECT_EQ(parse_tcp(bytes)->header, header);
    ++written;
  }
  EXPECT_GT(written, 3000);
}

}  // namespace tcp_test
}  // namespace overlane::wire
