#include "dataplane/wire/geneve.h"

#include <gtest/gtest.h>

#include "dataplane/wire/testing/bytes.h"
#include "sim/random/stream.h"

namespace overlane::wire {
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
}  // namespace overlane::wire
