#include "scenarios/spec/optional_fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace overlane::spec {
namespace quantity_test {

TEST(Quantity, DurationsAreExact) {
  EXPECT_EQ(parse_duration("250ms").value(), milliseconds(250));
  EXPECT_EQ(parse_duration_in("s", "1.5").value(), milliseconds(1500));
  EXPECT_EQ(parse_duration_in("s", "250ms").value(), milliseconds(250));
  EXPECT_FALSE(parse_duration_in("s", ""));
  EXPECT_EQ(parse_duration("20us").value(), microseconds(20));
  EXPECT_EQ(parse_duration("20 µs").value(), microseconds(20));
  EXPECT_EQ(parse_duration("1.5s").value(), milliseconds(1500));
  EXPECT_EQ(parse_duration("0.001ns").value(), picoseconds(1));
  EXPECT_EQ(parse_duration("0s").value(), picoseconds(0));
}

TEST(Quantity, DurationsAreWrittenAsInGo) {
  EXPECT_EQ(parse_duration("2m").value(), seconds(120));
  EXPECT_EQ(parse_duration("1m30s").value(), seconds(90));
  EXPECT_EQ(parse_duration("90s").value(), seconds(90));
  EXPECT_EQ(parse_duration("1h").value(), seconds(3600));
  EXPECT_EQ(parse_duration("0.5h").value(), seconds(1800));
  EXPECT_EQ(parse_duration("0h30m0s").value(), seconds(1800));
  EXPECT_EQ(parse_duration("100h", seconds(360'000)).value(), seconds(360'000));
  EXPECT_EQ(parse_duration("1m 2s 3ms").value(), milliseconds(62'003));
  EXPECT_EQ(parse_duration("5\u00b5s").value(), microseconds(5));
  EXPECT_EQ(parse_duration("5\u03bcs").value(), microseconds(5));
}

TEST(Quantity, ErrorsOfDurationsListTheUnits) {
  for (const char* bad : {"1h30", "2min", "30 2s", "1d", "m2", "2m-1s", "1h,5s", "2m ", "1hour"}) {
    const auto parsed = parse_duration(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_NE(parsed.error().find("(h, m, s, ms, us, ns), for example 250ms, 90s or 1h30m"),
              std::string::npos)
        << parsed.error();
  }
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
  EXPECT_NE(parse_duration("99d").error().find("unknown unit"), std::string::npos);
  for (const char* long_time : {"4000s", "99999999999999999999s", "99h", "1h1ns",
                                "9999999999999999999999h9999999999999999999999h"})
    EXPECT_EQ(parse_duration(long_time).error(),
              fmt::format("\"{}\" is too large: 3600s is the most", long_time));
  EXPECT_NE(parse_rate("20000Gbit/s").error().find("10000Gbit/s is the most"), std::string::npos);
  for (const char* bad : {"", ".", ".5s", "1.2.3s", "s", "ms", "1e3s", "0x1s", "m"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

}  // namespace quantity_test
}  // namespace overlane::spec
