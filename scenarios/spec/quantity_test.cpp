#include "scenarios/spec/quantity.h"

#include <gtest/gtest.h>

namespace overlane::spec {
namespace quantity_test {

TEST(Quantity, DurationsAreExact) {
  EXPECT_EQ(parse_duration("250ms").value(), milliseconds(250));
  EXPECT_EQ(parse_duration("20us").value(), microseconds(20));
  EXPECT_EQ(parse_duration("20 µs").value(), microseconds(20));
  EXPECT_EQ(parse_duration("1.5s").value(), milliseconds(1500));
  EXPECT_EQ(parse_duration("0.001ns").value(), picoseconds(1));
  EXPECT_EQ(parse_duration("0s").value(), picoseconds(0));
}

TEST(Quantity, RatesAreDecimal) {
  EXPECT_EQ(parse_rate("10Gbit/s").value(), BitsPerSecond{10'000'000'000});
  EXPECT_EQ(parse_rate("0.5 Mbit/s").value(), BitsPerSecond{500'000});
}

TEST(Quantity, SharesArePercentages) {
  EXPECT_EQ(parse_share("100%").value(), 1'000'000'000u);
  EXPECT_EQ(parse_share("0 %").value(), 0u);
  EXPECT_EQ(parse_share("0.0000001%").value(), 1u);
  EXPECT_NE(parse_share("0.01").error().find("has no unit"), std::string::npos);
  EXPECT_NE(parse_share("100.0000001%").error().find("is too large"), std::string::npos);
}

TEST(Quantity, ErrorsNameTheProblem) {
  EXPECT_EQ(parse_rate("0Gbit/s").error(), "\"0Gbit/s\" is a rate of zero: nothing would be sent");
  EXPECT_NE(parse_rate("-1Gbit/s").error().find("is negative"), std::string::npos);
  EXPECT_NE(parse_rate("10").error().find("has no unit"), std::string::npos);
  EXPECT_NE(parse_rate("10GB").error().find("unknown unit"), std::string::npos);
  EXPECT_NE(parse_duration("99h").error().find("unknown unit"), std::string::npos);
  for (const char* long_time : {"4000s", "99999999999999999999s"})
    EXPECT_NE(parse_duration(long_time).error().find("is too large: 3600s is the most"),
              std::string::npos);
  EXPECT_NE(parse_rate("20000Gbit/s").error().find("10000Gbit/s is the most"), std::string::npos);
  for (const char* bad : {"", ".", ".5s", "1.2.3s", "s", "ms", "1e3s", "0x1s"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

}  // namespace quantity_test
}  // namespace overlane::spec
