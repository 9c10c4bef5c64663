#include "dataplane/net/prefix.h"

#include <arpa/inet.h>
#include <vector>

#include <gtest/gtest.h>

namespace overlane {
namespace prefix_test {

Ipv4Prefix v4(const char* text) {
  return Ipv4Prefix::parse(text).value();
}

TEST(Ipv4Address, ParsesAndPrintsDottedQuads) {
  EXPECT_EQ(Ipv4Address::parse("10.250.0.4")->bits, 0x0afa0004u);
  EXPECT_EQ((Ipv4Address{0x0afa0004u}).to_string(), "10.250.0.4");
  for (const char* bad : {"", "10.0.0", "10.0.0.256", "10.0.0.01", "10.0.0.1 ", "a.b.c.d",
                          "10.0.0.1.", ".10.0.0.1", "10..0.1", "10.0.0.0.1", "10.0.0.00",
                          "10.0.0.1000", "10.0.0.-1", "4294967306.0.0.0", "0x0a.0.0.0"}) {
    EXPECT_FALSE(Ipv4Address::parse(bad)) << bad;
  }
}

TEST(Ipv4Address, TakesWhatInetPtonTakes) {
  const std::vector<std::string> parts = {"0",   "7",    "10",   "99", "255", "00", "07", "010",
                                          "256", "1000", "0255", "",   "-1",  "+1", "1 ", "1."};
  int taken = 0;
  for (std::size_t i = 0; i < parts.size() * parts.size() * parts.size() * parts.size(); ++i) {
    const auto part = [&](std::size_t digit) { return parts[i >> digit * 4 & 0xf]; };
    const std::string text = part(0) + "." + part(1) + "." + part(2) + "." + part(3);
    in_addr raw{};
    const bool good = inet_pton(AF_INET, text.c_str(), &raw) == 1;
    const auto address = Ipv4Address::parse(text);
    ASSERT_EQ(address.has_value(), good) << text;
    if (!good) continue;
    ++taken;
    ASSERT_EQ(address->bits, ntohl(raw.s_addr)) << text;
  }
  EXPECT_EQ(taken, 5 * 5 * 5 * 5);
}

TEST(IpAddress, EndsWithItsText) {
  using namespace std::string_view_literals;
  for (const std::string_view bad : {"10.0.0.1\0"sv, "::1\0"sv, "::1\0x"sv, "\0::1"sv}) {
    EXPECT_FALSE(IpAddress::parse(bad)) << bad;
  }
}

TEST(IpPrefix, KeepsTheFamilyOfItsText) {
  EXPECT_NE(IpPrefix::parse("100.96.0.0/11")->ipv4(), std::nullopt);
  EXPECT_NE(IpPrefix::parse("fd00:10:1:100::/56")->ipv6(), std::nullopt);
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
                          "10.0.0.0/1x", "::/129", "<pods>", "10.0.0.0/ 8", "::ffff:0:0/96"}) {
    EXPECT_FALSE(IpPrefix::parse(bad)) << bad;
  }
}

TEST(IpAddress, PrintsWhatItParsed) {
  for (const char* text : {"0.0.0.0", "10.250.0.4", "::", "::1", "fd00:10::a", "ffff:ffff::1"}) {
    EXPECT_EQ(IpAddress::parse(text)->to_string(), text);
  }
  EXPECT_EQ(IpAddress::parse("::ffff:10.0.0.1").error(),
            "\"::ffff:10.0.0.1\" is an IPv4-mapped address");
  EXPECT_EQ(IpAddress(), IpAddress(Ipv4Address{}));
}

TEST(IpPrefix, AFamilyHoldsNothingOfTheOther) {
  const auto prefix = [](const char* text) { return IpPrefix::parse(text).value(); };
  const auto address = [](const char* text) { return IpAddress::parse(text).value(); };
  EXPECT_TRUE(prefix("0.0.0.0/0").contains(address("255.1.2.3")));
  EXPECT_TRUE(prefix("::/0").contains(address("fd00::1")));
  EXPECT_FALSE(prefix("::/0").contains(address("10.0.0.1")));
  EXPECT_FALSE(prefix("0.0.0.0/0").contains(address("::1")));
  EXPECT_FALSE(prefix("::/0").overlaps(prefix("0.0.0.0/0")));
  EXPECT_TRUE(prefix("fd00::/16").overlaps(prefix("fd00:10::/64")));
  EXPECT_EQ(prefix("0.0.0.0/0"), IpPrefix());
  EXPECT_EQ(IpPrefix::containing(address("fd00:10::abcd"), 64).to_string(), "fd00:10::/64");
  EXPECT_EQ(IpPrefix::containing(address("10.1.2.3"), 9).to_string(), "10.0.0.0/9");
  EXPECT_EQ(IpPrefix::host(address("10.1.2.3")).to_string(), "10.1.2.3/32");
}

TEST(Ipv4Prefix, ContainsAndOverlapsFollowTheMask) {
  EXPECT_TRUE(v4("0.0.0.0/0").contains(v4("100.96.0.0/11")));
  EXPECT_TRUE(v4("100.96.0.0/11").contains(Ipv4Address::parse("100.127.255.255").value()));
  EXPECT_FALSE(v4("100.96.0.0/11").contains(Ipv4Address::parse("100.128.0.0").value()));
  EXPECT_TRUE(v4("10.0.0.0/24").overlaps(v4("10.0.0.0/8")));
  EXPECT_FALSE(v4("100.64.0.0/12").overlaps(v4("100.104.0.0/13")));
  EXPECT_EQ(v4("100.96.1.0/24").last().to_string(), "100.96.1.255");
}

}  // namespace prefix_test
}  // namespace overlane
