#include "topologies/overlap/map/address_map.h"

#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/random/stream.h"
#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {

namespace address_map_test {

using ::testing::ElementsAre;
using testing::ReportedLandscape;

constexpr const char* kDomain = "gcp/shared-vpc";
constexpr const char* kDeclared = R"(apiVersion: overlane.dev/v1alpha1
kind: RoutingDomains
metadata: {name: x}
spec:
  networks:
  - provider: gcp
    network: shared-vpc
    ranges:
    - {cidr: 100.99.0.0/16, purpose: printers}
    - {cidr: 10.128.0.0/20, purpose: build farm}
  reserved:
  - {cidr: 10.42.0.0/15, purpose: landscape DNS}
)";

AddressMap map_of(const ReportedLandscape& world, const std::string& domain = kDomain) {
  return map_addresses(world, domain);
}

std::vector<std::string> labels(const AddressMap& map) {
  std::vector<std::string> labels;
  for (const AddressMap::Row& row : map.rows)
    labels.push_back(row.label());
  return labels;
}

TEST(AddressMap, HasARowForEveryOwnerAndOneForEqualShoots) {
  const ReportedLandscape world(testing::yaml_of({{"one", "10.1.0.0/24", "100.96.0.0/11"},
                                                  {"three", "10.1.0.0/24", "100.96.0.0/11"},
                                                  {"two", "10.1.0.0/24", "100.96.0.0/11", true}}) +
                                kDeclared);
  const AddressMap map = map_of(world);
  EXPECT_EQ(map.shoots, 3u);
  EXPECT_THAT(labels(map), ElementsAre("2 shoots like garden-dev/one", "garden-dev/two", "printers",
                                       "build farm", "landscape DNS"));
}

TEST(AddressMap, MarksShootsThatAreNotCreated) {
  std::string running = testing::yaml_of({{"one", "10.1.0.0/24", "100.96.0.0/11"}});
  running.replace(running.find("namespace: garden-dev"), 0, "uid: u, ");
  const ReportedLandscape world(running +
                                testing::yaml_of({{"two", "10.2.0.0/24", "100.96.0.0/11"}}));
  EXPECT_THAT(labels(map_of(world)),
              ElementsAre("garden-dev/one", "garden-dev/two (not created yet)"));
}

/// The intersections are what the report's overlaps have in common, as grave as these.
TEST(AddressMap, PiecesAreTheOverlapsIntersections) {
  const ReportedLandscape world(testing::yaml_of({{"one", "10.1.0.0/24", "100.96.0.0/11"},
                                                  {"two", "10.2.0.0/24", "100.112.0.0/16"},
                                                  {"three", "10.3.0.0/24", "10.1.0.0/16"},
                                                  {"four", "10.4.0.0/24", "100.64.0.0/16"},
                                                  {"five", "10.5.0.0/24", "", true}}) +
                                kDeclared);
  std::set<std::pair<IpPrefix, Severity>> expected;
  for (const Overlap& overlap : world.report.overlaps) {
    const auto is_it = [&](const auto& known) { return known.first == overlap.intersection; };
    const auto known = std::ranges::find_if(expected, is_it);
    const Severity before = known == expected.end() ? Severity::Note : known->second;
    if (known != expected.end()) expected.erase(known);
    expected.emplace(overlap.intersection, std::max(before, overlap.impact.severity));
  }
  std::set<std::pair<IpPrefix, Severity>> drawn;
  for (const AddressMap::Intersection& intersection : map_of(world).intersections)
    drawn.emplace(intersection.cidr, intersection.severity);
  EXPECT_EQ(drawn, expected);
  EXPECT_GT(drawn.size(), 4u);
}

TEST(AddressMap, APieceNamesTheRowsThatHaveIt) {
  const ReportedLandscape world(testing::yaml_of({{"one", "10.1.0.0/24", "100.96.0.0/11"},
                                                  {"other", "10.2.0.0/24", "100.80.0.0/16"},
                                                  {"two", "10.3.0.0/24", "100.112.0.0/16"}}));
  const AddressMap map = map_of(world);
  ASSERT_EQ(map.intersections.size(), 1u);
  EXPECT_EQ(map.intersections[0].cidr.to_string(), "100.112.0.0/16");
  const auto& reason =
      map.intersections[0].reasons.at({Severity::Error, "overlap-routes-contested"});
  EXPECT_THAT(reason.rows, ElementsAre(0u, 2u));
  EXPECT_THAT(reason.consequence, ::testing::HasSubstr("garden-dev/two"));
}

/// Shoots with equal ranges at one place are looked at as two, and all are found.
TEST(AddressMap, ManyEqualShootsAreQuick) {
  std::vector<testing::GcpShoot> shoots;
  for (int i = 0; i < 600; ++i)
    shoots.push_back({fmt::format("s{}", i), "10.1.0.0/24", "100.96.0.0/11"});
  const AddressMap map = map_of(ReportedLandscape(testing::yaml_of(shoots)));
  EXPECT_TRUE(map.complete);
  ASSERT_EQ(map.rows.size(), 1u);
  EXPECT_EQ(map.rows[0].members, 600u);
  EXPECT_EQ(map.intersections.size(), 2u);
}

TEST(AddressMap, ADomainOfOneShootIsAMapToo) {
  const AddressMap map =
      map_of(ReportedLandscape(testing::yaml_of({{"one", "10.1.0.0/24", "100.64.0.0/16"}})));
  EXPECT_EQ(map.rows.size(), 1u);
  ASSERT_EQ(map.intersections.size(), 1u);
  EXPECT_EQ(map.intersections[0].reasons.begin()->first.rule, "overlap-in-shoot");
}

TEST(AddressMap, AnUnknownDomainIsEmpty) {
  EXPECT_TRUE(map_of(ReportedLandscape(testing::yaml_of({{"one", "10.1.0.0/24", ""}})), "aws/x")
                  .rows.empty());
}

}  // namespace address_map_test

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
