#include "dataplane/net/prefix.h"

#include <gtest/gtest.h>

namespace overlane {
namespace {

Ipv4Prefix v4(const char* text) {
  return Ipv4Prefix::parse(text).value();
}

TEST(Ipv4Address, ParsesAndPrintsDottedQuads) {
  EXPECT_EQ(Ipv4Address::parse("10.250.0.4")->bits, 0x0afa0004u);
  EXPECT_EQ((Ipv4Address{0x0afa0004u}).to_string(), "10.250.0.4");
  for (const char* bad : {"", "10.0.0", "10.0.0.256", "10.0.0.01", "10.0.0.1 ", "a.b.c.d"}) {
    EXPECT_FALSE(Ipv4Address::parse(bad)) << bad;
  }
}

TEST(IpPrefix, KeepsTheFamilyOfItsText) {
  EXPECT_NE(IpPrefix::parse("100.96.0.0/11")->ipv4(), nullptr);
  EXPECT_NE(IpPrefix::parse("fd00:10:1:100::/56")->ipv6(), nullptr);
  EXPECT_EQ(IpPrefix::parse("FD00:0:0::/48")->to_string(), "fd00::/48");
}

TEST(IpPrefix, RefusesHostBitsAndNamesTheNetwork) {
  EXPECT_EQ(IpPrefix::parse("10.0.0.5/16").error(),
            "\"10.0.0.5/16\" has host bits; its network is 10.0.0.0/16");
  EXPECT_EQ(IpPrefix::parse("fd00::1/64").error(),
            "\"fd00::1/64\" has host bits; its network is fd00::/64");
}

TEST(IpPrefix, RefusesWhatIsNoPrefix) {
  for (const char* bad : {"", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/-1",
                          "10.0.0.0/1x", "::/129", "<pods>", "10.0.0.0/ 8"}) {
    EXPECT_FALSE(IpPrefix::parse(bad)) << bad;
  }
}

TEST(Ipv4Prefix, ContainsAndOverlapsFollowTheMask) {
  EXPECT_TRUE(v4("0.0.0.0/0").contains(v4("100.96.0.0/11")));
  EXPECT_TRUE(v4("100.96.0.0/11").contains(Ipv4Address::parse("100.127.255.255").value()));
  EXPECT_FALSE(v4("100.96.0.0/11").contains(Ipv4Address::parse("100.128.0.0").value()));
  EXPECT_TRUE(v4("10.0.0.0/24").overlaps(v4("10.0.0.0/8")));
  EXPECT_FALSE(v4("100.64.0.0/12").overlaps(v4("100.104.0.0/13")));
  EXPECT_EQ(v4("100.96.1.0/24").last().to_string(), "100.96.1.255");
}

}  // namespace
}  // namespace overlane
