#include "topologies/overlap/analyze/analyze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::overlap {

namespace analyze_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A routed shoot in the GCP network "shared"; `uid` only if it is running.
std::string shoot(const std::string& name, const std::string& pods, int subnet,
                  const std::string& uid = ", uid: u") {
  const std::string workers = "10.250." + std::to_string(subnet) + ".0/24";
  return "---\napiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
         "metadata: {namespace: garden-dev, name: " +
         name + uid +
         "}\nspec: {credentialsBindingName: main, networking: {type: calico, pods: " + pods +
         ", services: 100.64.0.0/13, nodes: " + workers +
         ", providerConfig: {overlay: {enabled: false}}}, provider: {type: gcp, "
         "infrastructureConfig: {networks: {vpc: {name: shared}, workers: " +
         workers + "}}, workers: [{name: w, minimum: 3, maximum: 3}]}}\n";
}

Request request_for(const std::string& yaml) {
  Request request;
  request.landscapes.push_back({"", document::parse(yaml, "x.yaml"), {}});
  request.threads = 1;
  return request;
}

const std::string kTwoShoots = shoot("one", "10.0.0.0/16", 1) + shoot("two", "10.0.0.0/16", 2);

std::vector<std::string> shoots_of(const std::vector<Overlap>& overlaps) {
  std::vector<std::string> shoots;
  for (const Overlap& overlap : overlaps)
    shoots.push_back(overlap.a.shoot + " x " + overlap.b.shoot);
  return shoots;
}

TEST(Analyze, ReportsOverlapsWithWitnesses) {
  const auto analysis = analyze(request_for(kTwoShoots));
  ASSERT_TRUE(analysis);
  const OverlapReport& report = analysis->report;
  EXPECT_THAT(shoots_of(report.overlaps), ElementsAre("garden-dev/one x garden-dev/two"));
  EXPECT_EQ(report.overlaps[0].impact.rule->id, kContested);
  ASSERT_TRUE(report.overlaps[0].witness);
  EXPECT_TRUE(report.overlaps[0].witness->wrong);
  EXPECT_TRUE(report.any_at_or_above(Severity::Error));
  EXPECT_EQ(report.shoots, 2u);
}

TEST(Analyze, KeepsTheInventoryForTheAddressMap) {
  auto analysis = analyze(request_for(kTwoShoots));
  ASSERT_TRUE(analysis);
  const Analysis moved = *std::move(analysis);
  const AddressMap map = moved.address_map();
  EXPECT_EQ(map.domain, "gcp/shared");
  EXPECT_EQ(map.shoots, 2u);
  EXPECT_FALSE(map.intersections.empty());
}

TEST(Analyze, ReportsOnlyChangesOfAWhatIf) {
  Request request = request_for(kTwoShoots);
  request.landscapes[0].candidates =
      document::parse(shoot("new", "10.0.128.0/17", 3, ""), "new.yaml");
  const auto analysis = analyze(request);
  ASSERT_TRUE(analysis);
  EXPECT_THAT(shoots_of(analysis->report.overlaps),
              ElementsAre("garden-dev/new x garden-dev/one", "garden-dev/new x garden-dev/two"));
  ASSERT_TRUE(analysis->report.what_if);
  EXPECT_THAT(analysis->report.what_if->applied, ElementsAre("garden-dev/new"));
  request = request_for(kTwoShoots);
  request.assumed_modes["garden-dev/one"] = effective::Mode::Overlay;
  const auto assumed = analyze(request);
  ASSERT_TRUE(assumed);
  EXPECT_THAT(shoots_of(assumed->report.what_if->gone),
              ElementsAre("garden-dev/one x garden-dev/two"));
}

TEST(Analyze, LeavesOutTheBaseline) {
  Request request = request_for(kTwoShoots);
  request.baseline.emplace(analyze(request)->report);
  const auto analysis = analyze(request);
  ASSERT_TRUE(analysis);
  EXPECT_THAT(analysis->report.overlaps, IsEmpty());
  EXPECT_EQ(analysis->report.known, 1u);
}

TEST(Analyze, PlansAndProposes) {
  Request request = request_for(kTwoShoots);
  request.plan = true;
  request.wanted.emplace();
  const auto analysis = analyze(request);
  ASSERT_TRUE(analysis);
  ASSERT_TRUE(analysis->report.plan);
  EXPECT_EQ(analysis->report.plan->size(), 1u);
  EXPECT_EQ(analysis->report.proposals.size(), 1u);
}

TEST(Analyze, ReadsDeclarations) {
  Request request = request_for(kTwoShoots);
  request.declarations.push_back(
      document::parse("apiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\n"
                      "metadata: {name: d}\nspec: {networks: [{shoot: garden-dev/gone}]}\n",
                      "domains.yaml"));
  request.declarations.push_back(document::parse("kind: ConfigMap\napiVersion: v1\n", "odd.yaml"));
  const auto analysis = analyze(request);
  ASSERT_TRUE(analysis);
  std::vector<std::string> rules;
  for (const Finding& finding : analysis->report.findings)
    rules.push_back(finding.rule);
  EXPECT_THAT(rules, ::testing::Contains("declared-shoot-missing"));
  EXPECT_TRUE(any_at_or_above(analysis->report.findings, Severity::Error)) << "odd.yaml";
}

TEST(Analyze, SaysWhyThereIsNoReport) {
  struct Row {
    void (*change)(Request&);
    Refusal::Reason reason;
    const char* message;
  };
  const Row rows[] = {
      {[](Request& request) { request.landscapes[0].documents = {}; }, Refusal::Reason::NoShoots,
       "no shoot among the inputs"},
      {[](Request& request) { request.landscapes[0].candidates.emplace(); },
       Refusal::Reason::NoShoots, "no shoot among the candidates"},
      {[](Request& request) { request.domain = "gcp/shard"; }, Refusal::Reason::InvalidRequest,
       "did you mean gcp/shared?"},
      {[](Request& request) { request.assumed_modes["x/y"] = effective::Mode::Routed; },
       Refusal::Reason::InvalidRequest, "there is no shoot x/y among the 2 shoots given"},
      {[](Request& request) {
         request.wanted.emplace();
         request.wanted->nodes = 1'000'000'000;
       },
       Refusal::Reason::InvalidRequest, "--propose: "},
  };
  for (const Row& row : rows) {
    Request request = request_for(kTwoShoots);
    row.change(request);
    const auto analysis = analyze(request);
    ASSERT_FALSE(analysis) << row.message;
    EXPECT_EQ(analysis.error().reason, row.reason) << row.message;
    EXPECT_THAT(analysis.error().message, HasSubstr(row.message));
  }
}

}  // namespace analyze_test

}  // namespace overlane::overlap
