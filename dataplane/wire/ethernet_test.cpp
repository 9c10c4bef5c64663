#include "dataplane/wire/ethernet.h"

#include <gtest/gtest.h>

#include "dataplane/wire/testing/bytes.h"

namespace overlane::wire {

namespace ethernet_test {

using testing::Bytes;
using testing::hex;

TEST(EthernetWire, WritesAndParses) {
  const EthernetHeader header{.destination = {{1, 2, 3, 4, 5, 6}},
                              .source = {{7, 8, 9, 10, 11, 12}}};
  Bytes bytes(14);
  write(header, bytes);
  EXPECT_EQ(bytes, hex("01 02 03 04 05 06 07 08 09 0a 0b 0c 08 00"));
  EXPECT_EQ(parse_ethernet(bytes).value(), header);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parse_ethernet(testing::first(bytes, size))) << size;
}

TEST(VlanWire, WritesAndParses) {
  const VlanTag tag{.priority = 5, .drop_eligible = true, .vlan_id = 0x234, .ether_type = 0x86dd};
  Bytes bytes(4);
  write(tag, bytes);
  EXPECT_EQ(bytes, hex("b2 34 86 dd"));
  EXPECT_EQ(parse_vlan(bytes).value(), tag);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parse_vlan(testing::first(bytes, size))) << size;
}

TEST(VlanWire, TwoTagsStandBehindEachOther) {
  const Bytes frame = hex("ff ff ff ff ff ff 02 00 00 00 00 01 88 a8 00 64 81 00 e0 0a 08 06");
  const auto ethernet = parse_ethernet(frame).value();
  ASSERT_TRUE(announces_vlan(ethernet.ether_type));
  const auto outer = parse_vlan(std::span(frame).subspan(14)).value();
  EXPECT_EQ(outer.vlan_id, 100);
  ASSERT_TRUE(announces_vlan(outer.ether_type));
  const auto inner = parse_vlan(std::span(frame).subspan(18)).value();
  EXPECT_EQ(inner.vlan_id, 10);
  EXPECT_EQ(inner.priority, 7);
  EXPECT_EQ(inner.ether_type, kEtherTypeArp);
  EXPECT_FALSE(announces_vlan(inner.ether_type));
}

TEST(VlanWire, ParseUndoesWriteForEveryControlField) {
  for (unsigned control = 0; control < 0x10000; ++control) {
    const Bytes bytes{static_cast<std::uint8_t>(control >> 8), static_cast<std::uint8_t>(control),
                      8, 0};
    Bytes written(4);
    write(parse_vlan(bytes).value(), written);
    ASSERT_EQ(written, bytes);
  }
}

}  // namespace ethernet_test

}  // namespace overlane::wire
