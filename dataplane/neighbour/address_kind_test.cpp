#include "dataplane/neighbour/address_kind.h"

#include <gtest/gtest.h>

#include "dataplane/neighbour/testing/port.h"

namespace overlane::neighbour {

namespace address_kind_test {

using testing::ip;

TEST(AddressKind, WhatAHostCanHave) {
  for (const char* address :
       {"10.0.0.1", "169.254.1.1", "240.0.0.1", "0.0.0.1", "2001:db8::1", "fe80::1", "::2"})
    EXPECT_TRUE(is_host(ip(address))) << address;
  for (const char* address : {"0.0.0.0", "127.0.0.1", "224.0.0.1", "239.255.255.255",
                              "255.255.255.255", "::", "::1", "ff02::1"})
    EXPECT_FALSE(is_host(ip(address))) << address;
}

TEST(AddressKind, WhatAPortCanHave) {
  EXPECT_TRUE(is_port(MacAddress{{2, 0, 0, 0, 0, 1}}));
  EXPECT_FALSE(is_port(MacAddress{}));
  EXPECT_FALSE(is_port(MacAddress{{0x33, 0x33, 0, 0, 0, 1}}));
  EXPECT_FALSE(is_port(kBroadcastMac));
}

TEST(AddressKind, LinkLocal) {
  EXPECT_TRUE(is_link_local(ip("fe80::1")));
  EXPECT_TRUE(is_link_local(ip("febf::1")));
  EXPECT_FALSE(is_link_local(ip("fec0::1")));
  EXPECT_FALSE(is_link_local(ip("169.254.1.1"))) << "IPv4 forwards what it is";
}

TEST(AddressKind, AddressesMadeOfOthers) {
  EXPECT_EQ(solicited_node(ip("2001:db8::12:3456")), ip("ff02::1:ff12:3456"));
  EXPECT_TRUE(is_solicited_node(ip("ff02::1:ff12:3456")));
  EXPECT_FALSE(is_solicited_node(all_nodes()));
  EXPECT_EQ(multicast_mac(ip("ff02::1:ff12:3456")),
            (MacAddress{{0x33, 0x33, 0xff, 0x12, 0x34, 0x56}}));
  EXPECT_EQ(link_local(MacAddress{{0xee, 0xee, 0xee, 0xee, 0xee, 0xee}}),
            ip("fe80::ecee:eeff:feee:eeee"));
}

}  // namespace address_kind_test

}  // namespace overlane::neighbour
