#include "topologies/overlap/report/find.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {
namespace find_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::LocatedShoots;
using testing::ShootText;
using ::testing::UnorderedElementsAre;

/// "overlap-in-shoot pods-vpc", of those that weigh at least a warning, the worst first.
std::vector<std::string> told(const std::vector<Overlap>& overlaps) {
  std::vector<std::string> told;
  for (const Overlap& overlap : overlaps)
    if (overlap.impact.severity >= Severity::Warning)
      told.push_back(std::string(overlap.impact.rule->id) + ' ' + overlap.kind);
  return told;
}

TEST(Find, ReportsANetworkWithoutItsSubnets) {
  const LocatedShoots located(testing::texts(
      {{.name = "a",
        .provider = "aws",
        .networks = "vpc: {id: v}, zones: [{name: z, workers: 10.1.0.0/20, internal: 10.1.16.0/24, "
                    "public: 10.1.17.0/24}]",
        .nodes = "10.1.0.0/16"},
       {.name = "b",
        .provider = "aws",
        .networks = "vpc: {id: v}, zones: [{name: z, workers: 10.2.0.0/20}]",
        .pods = "10.0.0.0/14",
        .services = "10.1.16.0/22",
        .nodes = "10.2.0.0/16"}},
      testing::routing_domains("reserved: [{cidr: 10.1.0.0/20}]")));
  EXPECT_THAT(told(located.report().overlaps),
              ElementsAre("overlap-in-shoot pods-nodes", "overlap-in-shoot pods-services",
                          "overlap-routes-over-hosts pods-nodes",
                          "overlap-landscape-reserved nodes-reserved",
                          "overlap-landscape-reserved pods-reserved",
                          "overlap-services-hide-hosts nodes-services"));
}

TEST(Find, IgnoresIpv6RangesThatTheCloudAssigns) {
  const auto dual_stack = [](const std::string& name, int number) {
    const std::string n = std::to_string(number);
    return ShootText{.name = name,
                     .provider = "aws",
                     .networks = "vpc: {id: v}, zones: [{name: z, workers: 10." + n + ".0.0/20}]",
                     .pods = "100." + n + ".0.0/16",
                     .nodes = "10." + n + ".0.0/16",
                     .families = "IPv4, IPv6",
                     .status = "networking: {pods: [100." + n +
                               ".0.0/16, '2001:db8::/56'], services: [100.64.0.0/13, '2001:db8:0:" +
                               n + "::/108'], nodes: [10." + n + ".0.0/16, '2001:db8::/56']}"};
  };
  const LocatedShoots located(testing::texts({dual_stack("a", 1), dual_stack("b", 2)}));
  EXPECT_EQ(located.shoot("a").ranges.size(), 7u);
  EXPECT_THAT(told(located.report().overlaps), IsEmpty());
}

TEST(Find, ListsTheRequestedDomainIndependentlyOfOthers) {
  const ShootText reserved{.name = "a", .pods = "244.0.0.0/16"};
  ShootText other = reserved;
  other.name = "b";
  const LocatedShoots located(testing::texts({reserved, other}));
  const FindOptions options{.most_listed = 1, .domain = "gcp/shoot/garden-dev/b"};
  const OverlapReport report = find_overlaps(located, options);
  ASSERT_EQ(report.overlaps.size(), 1u);
  EXPECT_EQ(report.overlaps[0].a.shoot, "garden-dev/b");
  EXPECT_EQ(report.count(Severity::Error), 1u);
}

/// Of one domain: "a b sure".
std::vector<std::string> pairs_in(const OverlapReport& report, const std::string& domain) {
  std::vector<std::string> pairs;
  for (const Overlap& overlap : report.overlaps)
    if (overlap.routing_domain == domain && overlap.kind == "pods-pods")
      pairs.push_back(overlap.a.object.name + ' ' + overlap.b.object.name +
                      (overlap.impact.sure ? " sure" : " possible"));
  return pairs;
}

TEST(Find, AConnectionJoinsOneNetworkOfANameWhicheverThatIs) {
  const auto shoot = [](const std::string& name, const std::string& network,
                        const std::string& credentials) {
    return ShootText{
        .name = name, .networks = "vpc: {name: " + network + "}", .credentials = credentials};
  };
  const std::vector<ShootText> shoots = {shoot("a", "n", "one"), shoot("b", "n", "two"),
                                         shoot("c", "m", "one"), shoot("d", "m", "one")};
  const auto joined = [&](const std::string& projects, const std::string& n) {
    const LocatedShoots located(testing::texts(
        shoots, testing::routing_domains(
                    projects +
                    "connections: [{name: x, kind: peering, carriesPodRoutes: true, "
                    "networks: [{provider: gcp, network: m}, {provider: gcp, network: n" +
                    n + "}]}]")));
    return pairs_in(located.report(), "connection/x");
  };
  EXPECT_THAT(joined("", ""),
              UnorderedElementsAre("a c possible", "a d possible", "b c possible", "b d possible"));
  EXPECT_THAT(joined("projects: [{name: p, provider: gcp, credentials: [garden-dev/two]}], ",
                     ", project: p"),
              UnorderedElementsAre("b c sure", "b d sure"));
}

TEST(Find, AnIdIsOneNetworkInAnyDeclaredProject) {
  const LocatedShoots located(testing::texts(
      {{.name = "a", .provider = "aws", .networks = "vpc: {id: v}", .credentials = "one"}},
      testing::routing_domains(
          "projects: [{name: p, provider: aws, credentials: [garden-dev/two]}], networks: "
          "[{provider: aws, network: v, project: p, ranges: [{cidr: 100.100.0.0/16}]}]")));
  const OverlapReport report = located.report();
  ASSERT_EQ(told(report.overlaps),
            std::vector<std::string>{"overlap-routes-over-hosts pods-declared"});
  EXPECT_TRUE(report.overlaps[0].impact.sure);
}

TEST(Find, CountsPairsOfOneNetworkOnceThoughOnlySomeProjectsAreDeclared) {
  const auto shoot = [](const std::string& name, const std::string& credentials) {
    return ShootText{.name = name,
                     .provider = "aws",
                     .networks = "vpc: {id: v}",
                     .nodes = "",
                     .credentials = credentials};
  };
  const LocatedShoots located(
      testing::texts({shoot("a", "one"), shoot("b", "two"), shoot("c", "one")},
                     testing::routing_domains(
                         "projects: [{name: p, provider: aws, credentials: [garden-dev/one]}]")));
  const OverlapReport report = located.report();
  ASSERT_FALSE(report.groups.empty());
  for (const Group& group : report.groups) {
    EXPECT_EQ(group.pairs, 3u) << group.impact.rule->id;
    EXPECT_EQ(group.listed, 3u) << group.impact.rule->id;
  }
}

}  // namespace find_test
}  // namespace overlane::overlap
