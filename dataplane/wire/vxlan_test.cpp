#include "dataplane/wire/vxlan.h"

#include <gtest/gtest.h>

#include "dataplane/wire/testing/bytes.h"

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

}  // namespace overlane::wire
