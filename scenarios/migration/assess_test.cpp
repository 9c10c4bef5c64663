#include "scenarios/migration/assess.h"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scenarios/migration/operator_steps.h"
#include "scenarios/runner/testing/scenario_files.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::migration {
namespace assess_test {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
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

// The worker pool of the shoot has 2 to 6 nodes. calico-node replaces two pods at a time.
TEST(Assess, CoversEveryNodeCountOfTheWorkers) {
  const Assessment assessment = assessed(request_of("shoot-aws-ipip.yaml", Target::Vxlan));
  ASSERT_EQ(assessment.counts.size(), 2u);
  EXPECT_EQ(assessment.counts[0].nodes, 2u);
  EXPECT_EQ(assessment.counts[1].nodes, 6u);
  EXPECT_EQ(assessment.verdict(), MigrationVerdict::NoGo);
  ASSERT_EQ(assessment.worse_from.size(), 1u);
  EXPECT_EQ(assessment.worse_from.front().nodes, 3u);
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
    MigrationVerdict worst = MigrationVerdict::Go;
    for (const CountVerdict& count : assessment.counts) {
      LoadRequest one = request_of(row.manifest, row.to);
      one.subject.nodes = count.nodes;
      one.strategies = {assessment.best().strategy->name};
      const Assessment alone = assessed(one);
      EXPECT_EQ(alone.verdict(), count.verdict) << row.manifest << " with " << count.nodes;
      worst = std::max(worst, count.verdict);
    }
    EXPECT_EQ(assessment.verdict(), worst) << row.manifest;
    const std::string word(to_string(worst));
    EXPECT_THAT(assessment.headline(),
                AnyOf(StartsWith(word + ": "), HasSubstr(" nodes on " + word + ": "),
                      HasSubstr(" nodes " + word + ": ")))
        << row.manifest;
  }
}

TEST(Assess, AGivenNumberOfNodesIsTheOnlyOne) {
  LoadRequest request = request_of("shoot-aws-ipip.yaml", Target::Vxlan);
  request.subject.nodes = 2;
  const Assessment assessment = assessed(request);
  EXPECT_EQ(assessment.counts.size(), 1u);
  EXPECT_EQ(assessment.verdict(), MigrationVerdict::Unknown);
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

// Routes are missing before the switch only beyond the quota, so that more strategies make sense
// there. The default route of a GCP network counts towards the quota.
TEST(Assess, AQuotaBetweenTheCountsIsANoGoFromThereOn) {
  for (const auto& [provider, which, others, infrastructure] :
       {std::tuple("hcloud", provider::Provider::Hcloud, 0u, "{workers: 10.250.0.0/16}"),
        std::tuple("alicloud", provider::Provider::AliCloud, 0u,
                   "{vpc: {cidr: 10.250.0.0/16}, zones: [{name: zone-a, workers: 10.250.0.0/19}]}"),
        std::tuple("gcp", provider::Provider::Gcp, 1u, "{workers: 10.250.0.0/16}")}) {
    const runner::testing::Folder folder;
    const manifest::testing::ShootText shoot{
        .provider = provider,
        .infrastructure =
            fmt::format("{{apiVersion: {}.provider.extensions.gardener.cloud/v1alpha1, "
                        "kind: InfrastructureConfig, networks: {}}}",
                        provider, infrastructure),
        .workers = "[{name: a, machine: {type: large}, minimum: 3, maximum: 6, zones: [zone-a]}]",
        .config = "{overlay: {enabled: true}}",
        .networking = "pods: 10.96.0.0/13\n    services: 100.64.0.0/13\n    nodes: 10.250.0.0/16",
        .kubernetes = "{version: 1.33.3}"};
    LoadRequest request{.paths = {folder.write("shoot.yaml", shoot.yaml())},
                        .subject = {},
                        .to = Target::Routed,
                        .runs = 1};
    request.subject.derive.landscape.route_quotas[which] = 4;
    const Assessment assessment = assessed(request);
    EXPECT_EQ(assessment.verdict(), MigrationVerdict::NoGo) << provider;
    ASSERT_FALSE(assessment.worse_from.empty()) << provider;
    EXPECT_EQ(assessment.worse_from.back().nodes, 5u - others) << provider << assessment.headline();
    for (std::size_t i = 1; i < assessment.worse_from.size(); ++i) {
      EXPECT_GT(assessment.worse_from[i].nodes, assessment.worse_from[i - 1].nodes);
      EXPECT_GT(assessment.worse_from[i].verdict, assessment.worse_from[i - 1].verdict);
    }
  }
}

TEST(Assess, NamesEveryCountFromWhichItIsWorse) {
  LoadRequest request = request_of("shoot-aws-ipip.yaml", Target::Routed);
  request.subject.derive.landscape.route_quotas[provider::Provider::Aws] = 6;
  const Assessment assessment = assessed(request);
  std::vector<std::uint32_t> from{assessment.counts.front().nodes};
  for (const CountVerdict& worse : assessment.worse_from) {
    for (const std::uint32_t nodes : {worse.nodes - 1, worse.nodes}) {
      LoadRequest alone = request;
      alone.subject.nodes = nodes;
      alone.strategies = {assessment.best().strategy->name};
      EXPECT_EQ(assessed(alone).verdict() >= worse.verdict, nodes == worse.nodes) << nodes;
    }
    EXPECT_THAT(assessment.headline(), HasSubstr(fmt::format("from {} nodes on {}", worse.nodes,
                                                             to_string(worse.verdict))));
  }
  EXPECT_FALSE(assessment.worse_from.empty());
}

TEST(Assess, AFilterThatGardenerDoesNotMakeIsACondition) {
  const auto condition = [](const std::string& manifest, Target to, const std::string& changed,
                            const std::string& into) {
    std::ifstream file(runner::testing::manifest(manifest));
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t at = text.find(changed);
    if (at == std::string::npos) throw std::runtime_error("no " + changed);
    text.replace(at, changed.size(), into);
    const runner::testing::Folder folder;
    const Assessment assessment =
        assessed({.paths = {folder.write("shoot.yaml", text)}, .subject = {}, .to = to, .runs = 1});
    const auto& conditions = assessment.best().conditions;
    const auto found = std::ranges::find(conditions, "fabric.passes-tunnel", &Condition::parameter);
    return found == conditions.end() ? std::string() : found->command;
  };
  EXPECT_EQ(condition("shoot-aws.yaml", Target::Ipip, "networks:", "networks:"), "");
  EXPECT_THAT(condition("shoot-aws.yaml", Target::Ipip,
                        "networks:", "networks:\n        nodesSecurityGroupID: sg-1"),
              HasSubstr("Values=sg-1"));
  EXPECT_THAT(condition("shoot-alicloud.yaml", Target::Ipip, "networks:", "networks:"),
              HasSubstr("InnerAccessPolicy"));
  EXPECT_EQ(condition("shoot-alicloud.yaml", Target::Vxlan, "networks:", "networks:"), "");
}

TEST(Assess, RoutesOfAnUnknownProviderAreACondition) {
  const std::string text =
      manifest::testing::ShootText{
          .provider = "vsphere",
          .workers = "[{name: w, machine: {type: m}, minimum: 2, maximum: 2}]",
          .config = "{overlay: {enabled: true}}",
          .networking = "pods: 100.96.0.0/11"}
          .yaml();
  const runner::testing::Folder folder;
  LoadRequest request{
      .paths = {folder.write("shoot.yaml", text)}, .subject = {}, .to = Target::Routed, .runs = 1};
  const auto has_condition = [](const Assessment& assessment) {
    return std::ranges::find(assessment.best().conditions, "fabric.writes-routes",
                             &Condition::parameter) != assessment.best().conditions.end();
  };
  const Assessment open = assessed(request);
  EXPECT_TRUE(has_condition(open));
  EXPECT_THAT(open.headline(),
              StartsWith("no-go: pods never reach pods of other nodes, unless the provider writes "
                         "routes to the nodes' pods"));
  EXPECT_THAT(open.headline(), HasSubstr(" (then "));
  request.settings = {"fabric.writes-routes=true"};
  EXPECT_FALSE(has_condition(assessed(request)));
  request.settings = {"fabric.writes-routes=false"};
  EXPECT_EQ(assessed(request).verdict(), MigrationVerdict::NoGo);
}

TEST(Assess, NodesThatAreUpdatedInPlaceAreNotReplaced) {
  std::ifstream file(runner::testing::manifest("shoot-gcp.yaml"));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string pool = "    - name: ";
  text.replace(text.find(pool), pool.size(),
               "    - updateStrategy: AutoInPlaceUpdate\n      name: ");
  const runner::testing::Folder folder;
  const Assessment assessment = assessed({.paths = {folder.write("shoot.yaml", text)},
                                          .subject = {},
                                          .to = Target::DualStack,
                                          .runs = 1});
  EXPECT_THAT(assessment.headline(), HasSubstr("updated in place"));
  EXPECT_GE(assessment.verdict(), MigrationVerdict::Unknown);
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
  EXPECT_THAT(steps_back(back.loaded(), *back.best().strategy).front().action,
              HasSubstr("taken back 120 s after"));
}

TEST(Assess, TheHeadlineNamesTheConditionAndHowToFindOut) {
  LoadRequest request = request_of("shoot-openstack.yaml", Target::Routed);
  request.accepted = *parse_accepted("node-ports");
  const Assessment assessment = assessed(request);
  EXPECT_THAT(assessment.headline(),
              AllOf(ContainsRegex("^no-go: connections between [0-9]+ pairs of nodes"),
                    HasSubstr(", unless the network does not use OVN (then go: no connection"),
                    HasSubstr("); check with `openstack network agent list`")));
  EXPECT_EQ(assessment.verdict(), MigrationVerdict::NoGo);
  EXPECT_TRUE(assessment.may_go());
  request.subject.derive.landscape.openstack_ovn = false;
  const Assessment answered = assessed(request);
  EXPECT_EQ(answered.verdict(), MigrationVerdict::Go);
  EXPECT_THAT(answered.headline(), StartsWith("go: "));
  request.subject.derive.landscape.openstack_ovn = true;
  EXPECT_EQ(assessed(request).verdict(), MigrationVerdict::NoGo);
}

TEST(Assess, TheHeadlineIsTheWorstWithItsReasonInEveryField) {
  const Assessment assessment = assessed(request_of("shoot-aws-two-zones.yaml", Target::Routed));
  ASSERT_EQ(assessment.best().verdict, MigrationVerdict::GoWithImpact);
  EXPECT_EQ(assessment.best().longest(), Picos{});
  EXPECT_THAT(
      assessment.headline(),
      AllOf(ContainsRegex("^outage: connections between nodes stop for up to [0-9.]+ s across"),
            HasSubstr(", unless BIRD routes to other subnets by the gateway (then go-with-impact: "
                      "upstream DNS may fail for ")));
  const nlohmann::ordered_json json = encode(assessment, kQuick);
  for (const auto& strategy : json["strategies"]) {
    if (strategy["verdict"] != "outage") continue;
    EXPECT_THAT(strategy["reason"].get<std::string>(), StartsWith("connections between nodes"));
    EXPECT_GT(strategy["longest_outage_at_worst_ns"], 1'000'000'000);
    EXPECT_GE(strategy["longest_outage_at_worst_ns"], strategy["longest_outage_as_assumed_ns"]);
  }
  for (const auto& count : json["node_counts"])
    EXPECT_THAT(count["reason"].get<std::string>(), StartsWith("connections between nodes"));
  const auto& condition = json["conditions"][0];
  EXPECT_THAT(assessment.headline(), HasSubstr(condition["otherwise_reason"].get<std::string>()));
  EXPECT_GT(condition["otherwise_longest_outage_ns"], 1'000'000'000);
}

TEST(Assess, AnOutageThatMayLastLongerSaysSo) {
  LoadRequest request = request_of("shoot-aws-two-zones.yaml", Target::Routed);
  request.strategies = {"delete-pods"};
  const Assessment assessment = assessed(request);
  ASSERT_EQ(assessment.best().verdict, MigrationVerdict::Outage);
  ASSERT_GT(assessment.best().worst_longest(), assessment.best().longest());
  EXPECT_THAT(assessment.headline(),
              AllOf(StartsWith("outage: connections between nodes stop for up to "),
                    HasSubstr(", or " + outage_text(assessment.best().worst_longest()) +
                              " if assumptions do not hold")));
}

// BIRD's route beyond the subnet interrupts connections only with one of its two values, and then
// the durations add to it.
TEST(Assess, NoValueGivenByHandIsWorseThanTheWorstCase) {
  LoadRequest request = request_of("shoot-aws-two-zones.yaml", Target::Routed);
  request.subject.nodes = 6;
  const Assessment open = assess(request, {}).value();
  request.strategies = {open.best().strategy->name};
  for (const auto& settings :
       {std::vector<std::string>{"bird.route-beyond-subnet=unreachable"},
        {"bird.route-beyond-subnet=unreachable", "operator.reaction=60s"},
        {"bird.route-beyond-subnet=unreachable", "daemon-set.replace=60s", "agent.init=20s"}}) {
    request.settings = settings;
    const Assessment given = assess(request, {}).value();
    EXPECT_GT(given.best().longest(), open.best().longest()) << settings.back();
    EXPECT_LE(given.best().worst_longest(), open.best().worst_longest()) << settings.back();
  }
}

// With most durations a node is replaced, which is a no-go, but the longest outage is without it.
TEST(Assess, ARecordedDurationDoesNotLengthenTheOutageAtWorst) {
  LoadRequest request = request_of("shoot-aws-ipip.yaml", Target::Routed);
  request.strategies = {"delete-pods"};
  const Assessment open = assess(request, {}).value();
  for (const char* setting : {"gardenlet.network=5s", "gardenlet.network=10s",
                              "gardenlet.network=15s", "gardenlet.network=20s"}) {
    request.settings = {setting};
    const Assessment given = assess(request, {}).value();
    EXPECT_LE(given.best().worst_longest(), open.best().worst_longest()) << setting;
  }
}

TEST(Assess, SeveralAssumptionsTogetherAreInTheHeadline) {
  LoadRequest request = request_of("shoot-aws-two-zones.yaml", Target::Routed);
  request.settings = {"bird.route-beyond-subnet=unreachable"};
  request.accepted = *parse_accepted("upstream-dns,node-ports,node-network,dns,api-server");
  const auto worst_of = [&] { return assess(request, {}).value(); };
  request.max_outage = worst_of().best().worst_longest() - milliseconds(100);
  const Assessment assessment = worst_of();
  EXPECT_EQ(assessment.best().verdict, MigrationVerdict::Go);
  EXPECT_TRUE(assessment.best().conditions.empty()) << "each alone is accepted";
  EXPECT_EQ(assessment.verdict(), MigrationVerdict::Outage);
  EXPECT_THAT(assessment.headline(),
              AllOf(StartsWith("outage: connections between nodes stop for up to "),
                    HasSubstr(", if several assumptions do not hold (as assumed go: ")));
  const nlohmann::ordered_json json = encode(assessment, {});
  EXPECT_EQ(json["verdict"], "outage");
  const auto best = std::ranges::find_if(
      json["strategies"], [&](const auto& one) { return one["name"] == json["best"]; });
  ASSERT_NE(best, json["strategies"].end());
  EXPECT_EQ((*best)["several_assumptions"]["verdict"], "outage");
}

// With the assumed durations, routes-first-delete-pods has the shortest outages.
TEST(Assess, RecommendsNoStrategyThatOtherDurationsMakeWorseThanAnother) {
  LoadRequest request = request_of("shoot-aws-ipip.yaml", Target::Routed);
  request.disturb = "scale-up@60s";
  const auto assessment = assess(request, {});
  ASSERT_TRUE(assessment);
  EXPECT_NE(assessment->best().strategy->name, "routes-first-delete-pods");
  for (const StrategyResult& result : assessment->decisive.evaluation.strategies)
    EXPECT_LE(assessment->verdict(), result.worst()) << result.strategy->name;
}

TEST(Assess, TheOutageAtWorstDoesNotDependOnTheOtherStrategies) {
  LoadRequest request = request_of("shoot-aws-ipip.yaml", Target::Routed);
  const auto together = assess(request, {});
  ASSERT_TRUE(together);
  for (const StrategyResult& of : together->decisive.evaluation.strategies) {
    request.strategies = {of.strategy->name};
    const auto alone = assess(request, {});
    ASSERT_TRUE(alone);
    EXPECT_EQ(alone->best().worst_longest(), of.worst_longest()) << of.strategy->name;
    EXPECT_EQ(alone->best().conditions.size(), of.conditions.size()) << of.strategy->name;
  }
}

TEST(Assess, OfEqualOutagesAsAssumedTheShorterAtWorstIsRecommended) {
  LoadRequest request = request_of("shoot-aws.yaml", Target::Ipip);
  request.disturb = "scale-up@60s";
  const auto assessment = assess(request, {});
  ASSERT_TRUE(assessment);
  const Evaluation& evaluation = assessment->decisive.evaluation;
  EXPECT_EQ(evaluation.best().strategy->name, "delete-pods");
  const StrategyResult& today = evaluation.strategies.front();
  EXPECT_LT(evaluation.best().worst_longest(), today.worst_longest());
  EXPECT_EQ(evaluation.recommended_because,
            "connections between nodes stop at worst for " +
                outage_text(evaluation.best().worst_longest()) + " instead of for " +
                outage_text(today.worst_longest()) + "; next best: today");
}

TEST(Assess, WithoutMasqueradingUpstreamDnsMayFailForGood) {
  const runner::testing::Folder folder;
  std::ifstream file(runner::testing::manifest("shoot-aws-ipip.yaml"));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string overlay = "      overlay:\n";
  text.insert(text.find(overlay), "      snatToUpstreamDNS: {enabled: false}\n");
  LoadRequest request{
      .paths = {folder.write("shoot.yaml", text)}, .subject = {}, .to = Target::Routed, .runs = 1};
  EXPECT_THAT(assessed(request).headline(), HasSubstr("upstream DNS may fail from the switch on"));
  request.paths = {runner::testing::manifest("shoot-aws-ipip.yaml")};
  EXPECT_THAT(assessed(request).headline(), HasSubstr("upstream DNS may fail for "));
}

TEST(Assess, PodsMadeBeforeARollBackHaveTheLargerMtu) {
  LoadRequest request = request_of("shoot-aws-ipip.yaml", Target::Routed);
  request.disturb = "rollback@10m";
  const Assessment back = assessed(request);
  EXPECT_THAT(back.headline(), HasSubstr("datagrams of pods made during the switch of "
                                         "8982 to 9001 bytes fail in the tunnel"));
}

TEST(Assess, AnAcceptedOutageIsInTheHeadline) {
  LoadRequest request = request_of("shoot-aws-two-zones.yaml", Target::Routed);
  request.max_outage = seconds(30);
  EXPECT_THAT(
      assessed(request).headline(),
      AllOf(StartsWith("go-with-impact: "), ContainsRegex("outages of up to [0-9.]+ s accepted")));
  request.accepted = *parse_accepted("upstream-dns,node-ports");
  EXPECT_THAT(assessed(request).headline(),
              AllOf(ContainsRegex("^go: accepted: outages of up to [0-9.]+ s"),
                    Not(HasSubstr("no connection between nodes is interrupted"))));
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
  EXPECT_EQ(json["worse_from"][0]["nodes"], 3);
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
