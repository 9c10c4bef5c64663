#include "topologies/overlap/map/axis.h"

#include <gtest/gtest.h>

#include "sim/random/stream.h"

namespace overlane::overlap {
namespace map_axis_test {

IpPrefix cidr(const char* text) {
  return IpPrefix::parse(text).value();
}

TEST(MapAxis, CutsOutUnusedAddresses) {
  const MapAxis axis(
      {cidr("10.0.0.0/16"), cidr("10.1.0.0/16"), cidr("10.0.4.0/24"), cidr("100.96.0.0/11")}, 1000);
  ASSERT_EQ(axis.stretches().size(), 2u);
  const auto& [first, second] = std::pair(axis.stretches()[0], axis.stretches()[1]);
  EXPECT_EQ(first.first.to_string(), "10.0.0.0");
  EXPECT_EQ(first.last.to_string(), "10.1.255.255");
  EXPECT_EQ(first.span.x, 0);
  EXPECT_EQ(second.span.x, first.span.width + MapAxis::kGap);
  EXPECT_EQ(axis.width(), second.span.x + second.span.width);
}

TEST(MapAxis, ShowsSmallRangesNextToLargeOnes) {
  const MapAxis axis({cidr("100.96.0.0/11"), cidr("10.0.0.7/32"), cidr("10.0.1.0/24")}, 1000);
  EXPECT_EQ(axis.of(cidr("10.0.0.7/32")).width, MapAxis::kMin);
  EXPECT_GT(axis.of(cidr("10.0.1.0/24")).width, 50);
  EXPECT_GT(axis.of(cidr("100.96.0.0/11")).width, 5 * axis.of(cidr("10.0.1.0/24")).width);
}

TEST(MapAxis, HoldsTheWholeOfBothFamilies) {
  const MapAxis ipv4({cidr("0.0.0.0/0"), cidr("255.255.255.255/32")}, 1000);
  EXPECT_EQ(ipv4.of(cidr("0.0.0.0/0")).width, ipv4.width());
  EXPECT_EQ(ipv4.of(cidr("255.255.255.255/32")).x, ipv4.width() - MapAxis::kMin);
  const MapAxis ipv6({cidr("::/0"), cidr("ff00::/8")}, 1000);
  EXPECT_EQ(ipv6.stretches().size(), 1u);
  EXPECT_EQ(ipv6.of(cidr("::/0")).width, ipv6.width());
  const MapAxis::Span last = ipv6.of(cidr("ff00::/8"));
  EXPECT_EQ(last.x + last.width, ipv6.width());
}

TEST(MapAxis, NothingHasNoWidth) {
  EXPECT_EQ(MapAxis({}, 1000).width(), 0);
}

/// What holds on the axis holds for the addresses: ranges are nested, or apart and in order.
TEST(MapAxis, KeepsOrderAndNesting) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomStream random(seed, StreamUse::Pattern, 0);
    std::vector<IpPrefix> ranges;
    for (int i = 0; i < 12; ++i)
      ranges.push_back(
          Ipv4Prefix::containing({0x0a000000 + static_cast<std::uint32_t>(random.below(1 << 16))},
                                 static_cast<std::uint8_t>(14 + random.below(19))));
    const MapAxis axis(ranges, 1000);
    for (const IpPrefix& a : ranges)
      for (const IpPrefix& b : ranges) {
        const MapAxis::Span one = axis.of(a);
        const MapAxis::Span other = axis.of(b);
        EXPECT_GE(one.width, MapAxis::kMin);
        if (a.contains(b)) {
          EXPECT_LE(one.x, other.x);
          EXPECT_GE(one.x + one.width, other.x + other.width);
        } else if (!b.contains(a) && a < b) {
          EXPECT_LE(one.x + one.width, other.x);
        }
      }
  }
}

}  // namespace map_axis_test
}  // namespace overlane::overlap
