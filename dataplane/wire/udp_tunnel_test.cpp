#include <gtest/gtest.h>

#include "dataplane/wire/testing/bytes.h"
#include "dataplane/wire/tunnel_headers.h"
#include "sim/random/stream.h"

namespace overlane::wire {
namespace vxlan_test {

using testing::Bytes;
using testing::hex;

TEST(VxlanWire, KeepsTwentyFourBitsOfVni) {
  Bytes bytes(8, 0xff);
  write(VxlanHeader{.vni = 0x123456}, bytes);
  EXPECT_EQ(bytes, hex("08 00 00 00 12 34 56 00"));
  EXPECT_EQ(parse_vxlan(bytes)->vni, 0x123456u);
  EXPECT_TRUE(inspect_vxlan(bytes)->problems.empty());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parse_vxlan(testing::first(bytes, size))) << size;
}

TEST(VxlanWire, WithoutTheFlagThereIsNoVni) {
  const Bytes bytes = hex("00 00 00 00 12 34 56 00");
  EXPECT_EQ(parse_vxlan(bytes).error(), Drop::Malformed);
  EXPECT_EQ(inspect_vxlan(bytes)->problems.list(), std::vector{Problem::VniNotValid});
}

TEST(VxlanWire, ReservedBitsAreKeptAndNamed) {
  for (const char* text : {"88 00 00 00 12 34 56 00", "08 00 00 01 12 34 56 00",
                           "08 80 00 00 12 34 56 00", "08 00 00 00 12 34 56 01"}) {
    const Bytes bytes = hex(text);
    const auto header = parse_vxlan(bytes).value();
    EXPECT_EQ(inspect_vxlan(bytes)->problems.list(), std::vector{Problem::ReservedBits}) << text;
    Bytes written(8);
    write(header, written);
    EXPECT_EQ(written, bytes);
  }
}

TEST(VxlanGpeWire, WritesAndParses) {
  const VxlanGpeHeader header{.next_protocol = kGpeIpv6, .vni = 0xabcdef};
  Bytes bytes(8);
  write(header, bytes);
  EXPECT_EQ(bytes, hex("0c 00 00 02 ab cd ef 00"));
  EXPECT_EQ(parse_vxlan_gpe(bytes).value(), header);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parse_vxlan_gpe(testing::first(bytes, size))) << size;
}

TEST(VxlanGpeWire, IsToldApartFromVxlan) {
  const Bytes vxlan = hex("08 00 00 00 12 34 56 00");
  const Bytes gpe = hex("0c 00 00 01 12 34 56 00");
  EXPECT_FALSE(is_vxlan_gpe(kVxlanPort, vxlan));
  EXPECT_FALSE(is_vxlan_gpe(kVxlanPort, {}));
  EXPECT_TRUE(is_vxlan_gpe(kVxlanPort, gpe)) << "by the P flag";
  EXPECT_TRUE(is_vxlan_gpe(kVxlanGpePort, vxlan)) << "by its port";
  EXPECT_TRUE(inspect_vxlan(gpe)->problems.has(Problem::ReservedBits));
}

TEST(VxlanGpeWire, NamesWhatIsWrong) {
  struct Row {
    const char* bytes;
    Problem problem;
  };
  for (const Row& row : {Row{"1c 00 00 01 12 34 56 00", Problem::WrongVersion},
                         Row{"04 00 00 01 12 34 56 00", Problem::VniNotValid},
                         Row{"4c 00 00 01 12 34 56 00", Problem::ReservedBits},
                         Row{"0c 00 01 01 12 34 56 00", Problem::ReservedBits},
                         Row{"0c 00 00 01 12 34 56 80", Problem::ReservedBits}}) {
    const Bytes bytes = hex(row.bytes);
    EXPECT_EQ(inspect_vxlan_gpe(bytes)->problems.list(), std::vector{row.problem}) << row.bytes;
    EXPECT_EQ(parse_vxlan_gpe(bytes).has_value(), !facts(row.problem).drop) << row.bytes;
  }
}

}  // namespace vxlan_test

namespace geneve_test {

using testing::Bytes;
using testing::hex;

Bytes written(const GeneveHeader& header) {
  Bytes bytes(header_bytes(header));
  write(header, bytes);
  return bytes;
}

TEST(GeneveWire, WritesAndParses) {
  EXPECT_EQ(written({.vni = 10}), hex("00 00 65 58 00 00 0a 00"));
  const Bytes options = hex("01 02 80 01 de ad be ef  00 00 03 00");
  const GeneveHeader header{
      .critical = true, .protocol = 0x0800, .vni = 0xabcdef, .options = options};
  const Bytes bytes = written(header);
  EXPECT_EQ(bytes, hex("03 40 08 00 ab cd ef 00  01 02 80 01 de ad be ef  00 00 03 00"));
  EXPECT_TRUE(parse_geneve(bytes).value() == header);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parse_geneve(testing::first(bytes, size))) << size;
}

TEST(GeneveWire, IsOfVersionZeroAndKeepsItsReservedBits) {
  EXPECT_FALSE(parse_geneve(hex("40 00 65 58 00 00 0a 00")));
  const Bytes bytes = hex("00 bf 65 58 00 00 0a 7f");
  const auto header = parse_geneve(bytes).value();
  EXPECT_TRUE(header.control);
  EXPECT_FALSE(header.critical);
  EXPECT_EQ(header.reserved_6, 0x3f);
  EXPECT_EQ(header.reserved_8, 0x7f);
  EXPECT_EQ(written(header), bytes);
}

TEST(GeneveWire, OptionsAreReadOneByOne) {
  const Bytes data = hex("de ad be ef");
  Bytes bytes(8);
  write(GeneveOption{.option_class = 0x0102, .type = 0x80, .data = data}, bytes);
  const Bytes second = hex("ff ff 03 00");
  bytes.insert(bytes.end(), second.begin(), second.end());
  GeneveOptions options(bytes);
  const auto option = options.next().value();
  EXPECT_EQ(option.option_class, 0x0102);
  EXPECT_TRUE(option.critical());
  EXPECT_EQ(Bytes(option.data.begin(), option.data.end()), data);
  EXPECT_EQ(options.next()->option_class, 0xffff);
  EXPECT_FALSE(options.next());
  EXPECT_FALSE(options.malformed());
}

TEST(GeneveWire, AnOptionBeyondTheHeaderIsMalformed) {
  for (const char* text : {"01 02 03 02 00 00 00 00", "01 02 03 1f", "01 02 03"}) {
    const Bytes bytes = hex(text);
    GeneveOptions options(bytes);
    EXPECT_FALSE(options.next()) << text;
    EXPECT_TRUE(options.malformed()) << text;
  }
}

TEST(GeneveWire, ParseUndoesWrite) {
  RandomStream random(1, StreamUse::Pattern, 13);
  for (int i = 0; i < 2000; ++i) {
    Bytes options(4 * random.below(64));
    for (std::uint8_t& byte : options)
      byte = static_cast<std::uint8_t>(random.next());
    const GeneveHeader header{.control = random.below(2) == 0,
                              .critical = random.below(2) == 0,
                              .reserved_6 = static_cast<std::uint8_t>(random.below(64)),
                              .protocol = static_cast<std::uint16_t>(random.next()),
                              .vni = static_cast<std::uint32_t>(random.below(1 << 24)),
                              .reserved_8 = static_cast<std::uint8_t>(random.next()),
                              .options = options};
    const Bytes bytes = written(header);
    EXPECT_TRUE(parse_geneve(bytes).value() == header);
  }
}

}  // namespace geneve_test

namespace wireguard_test {

using testing::Bytes;
using testing::hex;

Bytes message(const char* front, std::size_t size) {
  Bytes bytes = hex(front);
  bytes.resize(size, 0xee);
  return bytes;
}

struct Row {
  const char* what;
  const char* front;
  std::size_t size;
  WireguardHeader header;
};

const Row kRows[] = {
    {"initiation", "01 00 00 00 44 33 22 11", 148, {.type = 1, .sender = 0x11223344}},
    {"response",
     "02 00 00 00 01 00 00 80 02 00 00 00",
     92,
     {.type = 2, .sender = 0x80000001, .receiver = 2}},
    {"cookie reply", "03 00 00 00 07 00 00 00", 64, {.type = 3, .receiver = 7}},
    {"keepalive",
     "04 00 00 00 07 00 00 00 08 07 06 05 04 03 02 01",
     32,
     {.type = 4, .receiver = 7, .counter = 0x0102030405060708}},
    {"transport padded to the MTU only",
     "04 00 00 00 07 00 00 00 00 00 00 00 00 00 00 00",
     1453,
     {.type = 4, .receiver = 7, .counter = 0}},
};

TEST(WireguardWire, EveryMessageIsRecognised) {
  for (const Row& row : kRows)
    EXPECT_EQ(parse_wireguard(message(row.front, row.size)).value(), row.header) << row.what;
}

TEST(WireguardWire, ASizeThatTheTypeCannotHaveIsRefused) {
  for (const Row& row : kRows) {
    for (std::size_t size = 0; size < 200; ++size) {
      const bool fits = row.header.type == 4 ? size >= 32 : size == row.size;
      const Bytes bytes = testing::first(message(row.front, 200), size);
      EXPECT_EQ(parse_wireguard(bytes).has_value(), fits) << row.what << " " << size;
      EXPECT_EQ(inspect_wireguard(bytes).has_value(), size >= 16) << row.what << " " << size;
    }
  }
}

TEST(WireguardWire, TheFourBytesOfTheTypeAreOneNumber) {
  EXPECT_FALSE(parse_wireguard(message("00 00 00 00", 148)));
  EXPECT_FALSE(parse_wireguard(message("05 00 00 00", 148)));
  for (const char* front : {"01 01 00 00", "01 00 01 00", "01 00 00 01"}) {
    const Bytes bytes = message(front, 148);
    EXPECT_FALSE(parse_wireguard(bytes)) << front;
    EXPECT_EQ(inspect_wireguard(bytes)->problems.list(), std::vector{Problem::ReservedBits});
  }
}

}  // namespace wireguard_test
}  // namespace overlane::wire
