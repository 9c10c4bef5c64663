#include "topologies/live/live.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/derive/derive.h"
#include "topologies/live/testing/live_rows.h"
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

struct ConditionRow {
  const char* what;
  std::string shoot;
  const char* reason;
  const char* message;
  const char* hint;
};

TEST(Live, ExplainsANodeWithoutARouteByWhoWritesRoutesToIt) {
  const auto live = [](const std::string& config, const std::string& control_plane) {
    return "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
           "metadata: {name: one, namespace: garden-dev, uid: 1-2-3}\n"
           "spec: {provider: {type: aws, controlPlaneConfig: {cloudControllerManager: {" +
           control_plane +
           "}}}, networking: {type: calico, pods: 100.96.0.0/16, nodes: 10.250.0.0/16, "
           "providerConfig: " +
           config + "}}\n";
  };
  const std::string routed = "{overlay: {enabled: false}}";
  const ConditionRow rows[] = {
      {"the controller runs", live(routed, "useCustomRouteController: true"), "NoRouteCreated",
       "the cloud has no route to its pods", "read the log of aws-custom-route-controller"},
      {"the controller is switched off", live(routed, "useCustomRouteController: false"),
       "NoRouteCreated", "new nodes get none: ", "change the shoot's spec in the garden"},
      {"the shoot has an overlay",
       live("{overlay: {enabled: true}}", "useCustomRouteController: false"), "NoRouteCreated",
       "the cloud has no route to its pods", "the shoot needs no route"},
      {"calico-node", live("{overlay: {enabled: true}}", "useCustomRouteController: false"),
       "CalicoIsDown", "its calico-node stopped", "read the log of calico-node"},
  };
  for (const ConditionRow& row : rows) {
    SCOPED_TRACE(row.what);
    const Findings findings = judge(
        row.shoot, testing::node_yaml("one", "podCIDR: 100.96.0.0/24, podCIDRs: [100.96.0.0/24]",
                                      std::string("status: \"True\", reason: ") + row.reason));
    const auto found = std::ranges::find(findings, "live-network-unavailable", &Finding::rule);
    ASSERT_NE(found, findings.end());
    EXPECT_THAT(found->message, ::testing::HasSubstr(row.message));
    EXPECT_THAT(found->hint, ::testing::HasSubstr(row.hint));
  }
}

TEST(Live, DoesNotReplaceNodesThatNoUpdateReplaces) {
  const auto shoot = [](const std::string& pool) {
    return manifest::testing::ShootText{
        .workers = "[{name: w, minimum: 2, maximum: 2" + pool + "}]",
        .config = "{overlay: {enabled: false}}",
        .networking = "pods: 100.96.0.0/16\n    nodes: 10.250.0.0/16"}
        .yaml();
  };
  const std::string twice =
      testing::node_with("one", "100.96.0.0/24") + testing::node_with("two", "100.96.0.0/24");
  const auto hint = [&](const std::string& pool) { return judge(shoot(pool), twice).at(0).hint; };
  EXPECT_EQ(hint(""), "replace one of the two nodes");
  EXPECT_EQ(hint(", updateStrategy: AutoRollingUpdate"), "replace one of the two nodes");
  EXPECT_THAT(hint(", updateStrategy: AutoInPlaceUpdate"),
              ::testing::HasSubstr("pool w is updated in place"));
  EXPECT_THAT(hint(", updateStrategy: ManualInPlaceUpdate"),
              ::testing::HasSubstr("pool w is updated in place"));
  EXPECT_THAT(hint(", controlPlane: {}"), ::testing::HasSubstr("pool w runs the control plane"));
}

}  // namespace live_test

}  // namespace overlane::live
