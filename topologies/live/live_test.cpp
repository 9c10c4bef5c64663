#include "topologies/live/live.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/derive/derive.h"
#include "topologies/live/testing/live_rows.h"
#include "topologies/live/testing/live_texts.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/rules/testing/rule_rows.h"

namespace overlane::live {
namespace live_test {

using rules::testing::listed;
using rules::testing::row_name;
using testing::LiveRow;

Findings judge(const std::string& shoot, const std::string& cluster) {
  const auto set = manifest::decode(document::parse(shoot, "shoot.yaml"));
  const manifest::PodNetworkSpec& spec = set.clusters.at(0);
  const auto expected = derive::derive(spec, {}).value();
  const Observed observed = decode_observed(document::parse(cluster, "cluster.yaml"));
  Findings findings = compare({spec, expected, observed});
  findings.insert(findings.end(), observed.findings.begin(), observed.findings.end());
  return findings;
}

std::vector<LiveRow> all_rows() {
  std::vector<LiveRow> rows = testing::node_rows();
  for (auto more : {testing::calico_rows(), testing::cilium_rows()})
    rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

class LiveRows : public ::testing::TestWithParam<LiveRow> {};

TEST_P(LiveRows, ReportBrokenRowsOnly) {
  const LiveRow& row = GetParam();
  const Findings findings = judge(row.shoot, row.cluster);
  const auto count = std::ranges::count(findings, row.rule, &Finding::rule);
  EXPECT_EQ(count > 0, row.broken) << listed(findings);
  for (const Finding& finding : findings) {
    EXPECT_GT(finding.place.line, 0) << finding.to_string();
    EXPECT_FALSE(finding.hint.empty()) << finding.to_string();
  }
}

INSTANTIATE_TEST_SUITE_P(Rule, LiveRows, ::testing::ValuesIn(all_rows()), [](const auto& row) {
  return row_name(rules(), row.param.rule, row.index);
});

TEST(Live, EveryRuleHasARowThatBreaksItAndOneThatKeepsIt) {
  std::set<std::string_view> broken;
  std::set<std::string_view> sound;
  const std::vector<LiveRow> rows = all_rows();
  for (const LiveRow& row : rows)
    (row.broken ? broken : sound).insert(row.rule);
  for (const rules::Rule* rule : rules()) {
    EXPECT_TRUE(broken.contains(rule->id)) << rule->id;
    EXPECT_TRUE(sound.contains(rule->id)) << rule->id;
  }
  fmt::print("{} rules about running clusters, {} rows\n", rules().size(), rows.size());
}

TEST(Live, LocatesFindingsInTheClustersObjects) {
  const Findings findings = judge(testing::shoot_yaml("{overlay: {enabled: false}}"),
                                  testing::node_with("one", "100.97.0.0/24"));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].to_string(),
            "cluster.yaml:5:43: error: garden-dev/one: node one has the pod CIDR 100.97.0.0/24, "
            "which is outside the pod range 100.96.0.0/16 [live-pod-range-outside]; give the "
            "manifest of this cluster's shoot, or replace the node");
}

TEST(Live, NamesAnIgnoredKindOnce) {
  const Observed observed = decode_observed(
      document::parse("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret}\n"
                      "- {apiVersion: v1, kind: Secret}\n- {apiVersion: v1, kind: Pod}\n",
                      "cluster.yaml"));
  ASSERT_EQ(observed.findings.size(), 2u);
  EXPECT_THAT(observed.findings[1].message, ::testing::HasSubstr("kind Secret"));
  EXPECT_THAT(observed.findings[1].message, ::testing::HasSubstr("(2 of them)"));
  EXPECT_EQ(observed.objects, 0u);
}

TEST(Live, ReportsInvalidFieldsOfAnObject) {
  const Findings findings = judge(testing::shoot_yaml("{overlay: {enabled: true}}"),
                                  testing::pool_yaml("one", "cidr: 100.96.0.5/16"));
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.back().rule, "invalid-cidr");
  EXPECT_EQ(findings.back().object.name, "one");
}

TEST(Live, ReportsAnAssumedRangeAsAWarning) {
  const std::string shoot = manifest::testing::ShootText{}.yaml();
  const Findings findings = judge(shoot, testing::node_with("one", "10.0.0.0/24"));
  const auto found = std::ranges::find(findings, "live-pod-range-outside", &Finding::rule);
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->severity, Severity::Warning);
}

}  // namespace live_test
}  // namespace overlane::live
