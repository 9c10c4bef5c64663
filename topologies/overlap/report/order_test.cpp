#include "topologies/overlap/report/order.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/testing/reports.h"

namespace overlane::overlap {
namespace order_test {

using testing::contested;
using ::testing::ElementsAre;

struct Row {
  const char* domain;
  const char* rule = "overlap-routes-contested";
  Severity severity = Severity::Error;
  Urgency urgency = Urgency::Now;
  std::int64_t nodes = 3;  ///< Of each shoot.
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
