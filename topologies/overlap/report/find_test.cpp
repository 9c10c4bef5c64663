#include "topologies/overlap/report/find.h"

#include <algorithm>

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

/// The pairs of one domain: "a b sure".
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

namespace order_test {

using testing::contested;
using ::testing::ElementsAre;

struct Row {
  const char* domain;
  const char* rule = "overlap-routes-contested";
  Severity severity = Severity::Error;
  Urgency urgency = Urgency::Now;
  std::int64_t nodes = 3;  ///< Nodes of each shoot.
  std::uint64_t creations = 0;
  std::optional<std::int64_t> waking = {};  ///< Nodes that the first shoot gets when it wakes up.
};

Overlap overlap_of(const Row& row) {
  Overlap overlap = contested("a", "b");
  overlap.routing_domain = row.domain;
  overlap.impact = {&rule(row.rule), row.severity};
  overlap.urgency = row.urgency;
  overlap.a.nodes = overlap.b.nodes = row.nodes;
  overlap.creations_until_conflict = row.creations;
  overlap.a.waking_nodes = row.waking;
  return overlap;
}

OverlapReport ordered(const std::vector<Row>& rows) {
  std::vector<Overlap> overlaps;
  for (const Row& row : rows)
    overlaps.push_back(overlap_of(row));
  OverlapReport report = testing::report_of(std::move(overlaps));
  for (std::size_t i = 0; i < rows.size(); ++i)
    report.groups[i].urgency = rows[i].urgency;
  put_in_order(report);
  return report;
}

/// The domains of groups; those of overlaps must stand in the same order.
std::vector<std::string> domains(const std::vector<Row>& rows) {
  const OverlapReport report = ordered(rows);
  std::vector<std::string> names;
  for (const Group& group : report.groups)
    names.push_back(group.routing_domain);
  return names;
}

TEST(Order, SortsBySeverityAndUrgency) {
  EXPECT_THAT(domains({{.domain = "d", .severity = Severity::Warning, .nodes = 900},
                       {.domain = "c", .urgency = Urgency::NotCreated, .nodes = 900},
                       {.domain = "b", .urgency = Urgency::Later, .nodes = 900},
                       {.domain = "a"}}),
              ElementsAre("a", "b", "c", "d"));
}

TEST(Order, SortsEqualDomainsByNodesAndProductionFirst) {
  EXPECT_THAT(domains({{.domain = "local/host", .nodes = 99},
                       {.domain = "aws/few", .nodes = 2},
                       {.domain = "gcp/many", .nodes = 20},
                       {.domain = "aws/as-few", .nodes = 2},
                       {.domain = "", .nodes = 50}}),
              ElementsAre("gcp/many", "aws/as-few", "aws/few", "", "local/host"));
}

TEST(Order, SortsLaterConflictsByTime) {
  EXPECT_THAT(
      domains(
          {{.domain = "far", .urgency = Urgency::Later, .nodes = 90, .creations = 1021},
           {.domain = "near", .urgency = Urgency::Later, .nodes = 2, .creations = 5},
           {.domain = "asleep", .urgency = Urgency::Later, .nodes = 1, .creations = 7, .waking = 7},
           {.domain = "now", .nodes = 5, .creations = 900},
           {.domain = "now too", .nodes = 9, .creations = 901}}),
      ElementsAre("now too", "now", "asleep", "near", "far"));
}

PlanStep step_of(const char* shoot, bool created) {
  return {.name = std::string("garden-dev/") + shoot, .created = created};
}

TEST(Order, SortsPlansByManifestsAndWorstOverlaps) {
  OverlapReport report = ordered({{.domain = "b", .urgency = Urgency::Later}, {.domain = "a"}});
  report.overlaps[1].a.shoot = "garden-dev/later";
  report.plan = {step_of("unlisted", true), step_of("later", true), step_of("b", true),
                 step_of("manifest", false)};
  put_in_order(report);
  std::vector<std::string> names;
  for (const PlanStep& step : *report.plan)
    names.push_back(step.name.substr(step.name.find('/') + 1));
  EXPECT_THAT(names, ElementsAre("manifest", "b", "later", "unlisted"));
}

TEST(Order, NodesCountOnlyWhereTheyTakePartInTheWorst) {
  EXPECT_THAT(domains({{.domain = "a", .nodes = 2},
                       {.domain = "a", .severity = Severity::Warning, .nodes = 500},
                       {.domain = "b", .nodes = 3}}),
              ElementsAre("b", "a", "a"));
}

TEST(Order, SortsRulesOfPodsBeforeNodes) {
  const OverlapReport report =
      ordered({{.domain = "a", .rule = "overlap-hosts-collide", .nodes = 50},
               {.domain = "a", .rule = "overlap-routes-over-hosts", .nodes = 50},
               {.domain = "a", .rule = "overlap-routes-contested", .nodes = 3}});
  const auto rule_of = [](const auto& one) { return std::string(one.impact.rule->id); };
  std::vector<std::string> of_groups;
  std::ranges::transform(report.groups, std::back_inserter(of_groups), rule_of);
  EXPECT_THAT(of_groups, ElementsAre("overlap-routes-contested", "overlap-routes-over-hosts",
                                     "overlap-hosts-collide"));
  std::vector<std::string> of_overlaps;
  std::ranges::transform(report.overlaps, std::back_inserter(of_overlaps), rule_of);
  EXPECT_EQ(of_overlaps, of_groups);
}

TEST(Order, SortsPairsOfAGroupByTimeAndNodes) {
  std::vector<Overlap> overlaps = {contested("a", "b"), contested("c", "d"), contested("e", "f")};
  overlaps[0].creations_until_conflict = 7;
  overlaps[2].a.nodes = 40;
  OverlapReport report = testing::report_of(std::move(overlaps));
  put_in_order(report);
  std::vector<std::string> names;
  for (const Overlap& overlap : report.overlaps)
    names.push_back(overlap.a.object.name);
  EXPECT_THAT(names, ElementsAre("e", "c", "a"));
}

}  // namespace order_test

}  // namespace overlane::overlap
