#include "topologies/overlap/map/address_map.h"

#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
}  // namespace overlane::overlap
