#include "scenarios/migration/assess.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scenarios/migration/migration_json.h"
#include "scenarios/migration/operator_steps.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::migration {
namespace assess_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const EvaluationOptions kQuick{.vary_durations = false};

LoadRequest request_of(const std::string& manifest, Target to) {
  return {.paths = {runner::testing::manifest(manifest)}, .subject = {}, .to = to, .runs = 3};
}

Assessment assessed(const LoadRequest& request) {
  auto assessment = assess(request, kQuick);
  if (!assessment) throw std::runtime_error(assessment.error().findings.front().message);
  return *std::move(assessment);
}

// Its worker pool has 2 to 6 nodes. calico-node replaces two pods at a time.
TEST(Assess, CoversEveryNodeCountOfTheWorkers) {
  const Assessment assessment = assessed(request_of("shoot-aws-ipip.yaml", Target::Vxlan));
  ASSERT_EQ(assessment.counts.size(), 2u);
  EXPECT_EQ(assessment.counts[0].nodes, 2u);
  EXPECT_EQ(assessment.counts[1].nodes, 6u);
  EXPECT_EQ(assessment.verdict(), Verdict::NoGo);
  ASSERT_TRUE(assessment.worse_from);
  EXPECT_EQ(assessment.worse_from->nodes, 3u);
  EXPECT_THAT(assessment.headline(), StartsWith("unknown up to 2 nodes; from 3 nodes on no-go: "));
}

TEST(Assess, TheHeadlineIsTheWorstOfAllCountsForEveryManifestOfTheLibrary) {
  struct Row {
    const char* manifest;
    Target to;
  };
  const Row rows[] = {
      {"shoot-aws-ipip.yaml", Target::Routed},    {"shoot-aws.yaml", Target::Ipip},
      {"shoot-aws.yaml", Target::Vxlan},          {"shoot-aws-two-zones.yaml", Target::Routed},
      {"shoot-openstack.yaml", Target::Routed},   {"shoot-gcp.yaml", Target::DualStack},
      {"shoot-azure-cilium.yaml", Target::Routed}};
  for (const Row& row : rows) {
    const Assessment assessment = assessed(request_of(row.manifest, row.to));
    Verdict worst = Verdict::Go;
    for (const CountVerdict& count : assessment.counts) {
      LoadRequest one = request_of(row.manifest, row.to);
      one.subject.nodes = count.nodes;
      one.strategies = {assessment.best().strategy->name};
      const Assessment alone = assessed(one);
      EXPECT_EQ(alone.verdict(), count.verdict) << row.manifest << " with " << count.nodes;
      worst = std::max(worst, count.verdict);
    }
    EXPECT_EQ(assessment.verdict(), worst) << row.manifest;
    if (worst != Verdict::Go) {
      EXPECT_EQ(assessment.headline().find("go: "), std::string::npos) << assessment.headline();
    }
  }
}

TEST(Assess, AGivenNumberOfNodesIsTheOnlyOne) {
  LoadRequest request = request_of("shoot-aws-ipip.yaml", Target::Vxlan);
  request.subject.nodes = 2;
  const Assessment assessment = assessed(request);
  EXPECT_EQ(assessment.counts.size(), 1u);
  EXPECT_EQ(assessment.verdict(), Verdict::Unknown);
}

// Its worker pool has 2 to 6 nodes.
TEST(Assess, CoversTheNumberOfNodesAmongTheManifests) {
  std::string nodes = "apiVersion: v1\nkind: NodeList\nitems:\n";
  for (int i = 0; i < 4; ++i)
    nodes += fmt::format(
        "- apiVersion: v1\n  kind: Node\n  metadata: {{name: ip-10-181-0-{0}}}\n"
        "  spec: {{podCIDRs: [100.96.{0}.0/24]}}\n"
        "  status: {{addresses: [{{type: InternalIP, address: 10.181.0.{1}}}]}}\n",
        i, i + 4);
  const runner::testing::Folder folder;
  LoadRequest request = request_of("shoot-aws-ipip.yaml", Target::Routed);
  request.paths.push_back(folder.write("nodes.yaml", nodes));
  const Assessment assessment = assessed(request);
  std::vector<std::uint32_t> counts;
  for (const CountVerdict& count : assessment.counts)
    counts.push_back(count.nodes);
  EXPECT_THAT(counts, ::testing::ElementsAre(2, 4, 6));
  for (const Finding& finding : assessment.loaded().findings)
    EXPECT_NE(finding.rule, "unsupported-kind") << finding.message;
  request.subject.nodes = 3;
  EXPECT_EQ(assessed(request).counts.size(), 1u) << "the command line wins";
}

TEST(Assess, ARollBackIsNoStepOfTheSwitch) {
  LoadRequest request = request_of("shoot-aws-ipip.yaml", Target::Routed);
  request.subject.nodes = 2;
  const Assessment there = assessed(request);
  request.disturb = "rollback@2m";
  const Assessment back = assessed(request);
  for (const Strategy& strategy : there.loaded().strategies) {
    std::vector<std::string> actions;
    for (const OperatorStep& step : operator_steps(there.loaded(), strategy))
      actions.push_back(step.action);
    std::vector<std::string> actions_with_way_back;
    for (const OperatorStep& step : operator_steps(back.loaded(), strategy))
      actions_with_way_back.push_back(step.action);
    EXPECT_EQ(actions_with_way_back, actions) << strategy.name;
  }
  EXPECT_THAT(steps_back(back.loaded()).front().action, HasSubstr("taken back 120 s after"));
}

TEST(Assess, TheHeadlineNamesTheConditionAndHowToFindOut) {
  LoadRequest request = request_of("shoot-openstack.yaml", Target::Routed);
  request.accepted = *parse_accepted("node-ports");
  const Assessment assessment = assessed(request);
  EXPECT_THAT(assessment.headline(),
              StartsWith("go if the network does not use OVN; no-go otherwise: check with "
                         "`openstack network agent list`"));
  EXPECT_EQ(assessment.verdict(), Verdict::NoGo);
  EXPECT_TRUE(assessment.may_go());
  request.subject.derive.landscape.openstack_ovn = false;
  const Assessment answered = assessed(request);
  EXPECT_EQ(answered.verdict(), Verdict::Go);
  EXPECT_THAT(answered.headline(), StartsWith("go: "));
  request.subject.derive.landscape.openstack_ovn = true;
  EXPECT_EQ(assessed(request).verdict(), Verdict::NoGo);
}

TEST(Assess, RecommendsNoStepsUnderANoGo) {
  const EvaluationOptions options = kQuick;
  const nlohmann::ordered_json json =
      encode(assessed(request_of("shoot-aws-ipip.yaml", Target::Vxlan)), options);
  EXPECT_EQ(json["schema_version"], 2);
  EXPECT_EQ(json["verdict"], "no-go");
  EXPECT_TRUE(json["recommended"].is_null());
  EXPECT_TRUE(json["steps"].empty());
  EXPECT_EQ(json["node_counts"].size(), 2u);
  EXPECT_EQ(json["worse_from"]["nodes"], 3);
}

TEST(Assess, DoesNotDependOnThreads) {
  const auto text = [&](std::uint32_t threads) {
    const EvaluationOptions options{.threads = threads};
    const auto assessment = assess(request_of("shoot-aws-ipip.yaml", Target::Routed), options);
    return encode(*assessment, options).dump();
  };
  EXPECT_EQ(text(1), text(3));
}

}  // namespace assess_test
}  // namespace overlane::migration
