#include "scenarios/migration/evaluate.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "scenarios/migration/testing/shoots.h"
#include "scenarios/spec/optional_fields.h"

namespace overlane::migration {
namespace evaluate_test {

using testing::aws_shoot;

Evaluation evaluated(Loaded& loaded) {
  loaded.runs = 3;
  return evaluate(loaded, {});
}

Evaluation evaluated_as_assumed(Loaded& loaded) {
  loaded.runs = 3;
  return evaluate(loaded, {.vary_durations = false});
}

const StrategyResult& of(const Evaluation& evaluation, std::string_view name) {
  return *std::ranges::find_if(evaluation.strategies, [&](const StrategyResult& result) {
    return result.strategy->name == name;
  });
}

const Sensitivity& sensitivity(const Evaluation& evaluation, std::string_view parameter) {
  return *std::ranges::find_if(evaluation.best().sensitivities, [&](const Sensitivity& one) {
    return one.assumption.parameter == parameter;
  });
}

TEST(Evaluate, RecommendsTheShortestOutageThatAnOperatorCanHaveToday) {
  Loaded loaded = aws_shoot(Target::Routed);
  const Evaluation evaluation = evaluated(loaded);
  const StrategyResult& best = evaluation.best();
  EXPECT_EQ(best.strategy->name, "routes-first-delete-pods") << "upstream DNS";
  EXPECT_EQ(of(evaluation, "routes-first").verdict, MigrationVerdict::GoWithImpact);
  EXPECT_EQ(best.strategy->availability, Availability::Today);
  EXPECT_EQ(best.verdict, MigrationVerdict::GoWithImpact);
  EXPECT_EQ(evaluation.recommended_because,
            "needs no feature gate of the landscape; next best: seamless-delete-pods");
  EXPECT_EQ(of(evaluation, "protect-first").verdict, MigrationVerdict::Outage)
      << "routes come late";
  EXPECT_EQ(of(evaluation, "today").verdict, MigrationVerdict::NoGo)
      << "nodes are replaced as well";
  for (const StrategyResult& result : evaluation.strategies)
    EXPECT_LE(best.longest(), result.longest());
}

TEST(Evaluate, OutagesAtWorstAreThoseOfTheStrategysOwnDurations) {
  Loaded loaded = aws_shoot(Target::Routed);
  const Evaluation evaluation = evaluated(loaded);
  for (const StrategyResult& result : evaluation.strategies) {
    EXPECT_GE(result.worst_longest(), result.longest_or_never()) << result.strategy->name;
    for (const TrafficResult& of : result.other_traffic)
      EXPECT_GE(of.longest_at_worst, of.longest_or_never()) << of.name;
  }
  // Its agents are replaced two nodes at a time, not at once.
  EXPECT_GT(of(evaluation, "routes-first").worst_longest(),
            of(evaluation, "routes-first-delete-pods").worst_longest());
  const auto& impacts = evaluation.best().impacts;
  const auto dns = std::ranges::find(impacts, Impact::UpstreamDns, &ImpactResult::impact);
  ASSERT_NE(dns, impacts.end());
  EXPECT_NE(dns->what.find(", at worst "), std::string::npos) << dns->what;
  const auto queries = std::ranges::find(impacts, Impact::Dns, &ImpactResult::impact);
  ASSERT_NE(queries, impacts.end()) << "they fail if BIRD's route is unreachable";
  EXPECT_TRUE(queries->is_at_worst_only);
  EXPECT_TRUE(queries->what.ends_with(" if assumptions do not hold")) << queries->what;
}

TEST(Evaluate, RecommendsTheLeastWorkOfEqualOutages) {
  Loaded loaded = testing::cilium_shoot(Target::Routed);
  const Evaluation evaluation = evaluated(loaded);
  EXPECT_EQ(of(evaluation, "delete-pods").longest(),
            of(evaluation, "routes-first-delete-pods").longest());
  EXPECT_EQ(evaluation.best().strategy->name, "delete-pods");
}

TEST(Evaluate, KnowsNoGateOfCilium) {
  Loaded loaded = testing::cilium_shoot(Target::Routed);
  EXPECT_NE(unsuitable(*find_strategy("seamless"), loaded.transition), "");
  for (const Strategy& strategy : usual_strategies(loaded.transition, loaded.may_lose_nodes()))
    EXPECT_EQ(strategy.gate, Gate::None);
}

TEST(Evaluate, WhatIsAcceptedIsAGo) {
  Loaded loaded = aws_shoot(Target::Routed);
  loaded.max_outage = seconds(300);
  const Evaluation allowed = evaluated(loaded);
  const StrategyResult& impact = of(allowed, "protect-first");
  EXPECT_EQ(impact.verdict, MigrationVerdict::GoWithImpact);
  EXPECT_EQ(impact.reason, "established connections by NodePorts end; outages of up to " +
                               outage_text(impact.worst_longest()) + " accepted");
  EXPECT_GT(impact.worst_longest(), seconds(1));
  loaded.accepted.add(Impact::NodePorts);
  const Evaluation accepted = evaluated_as_assumed(loaded);
  EXPECT_EQ(of(accepted, "protect-first").verdict, MigrationVerdict::Go);
  EXPECT_TRUE(of(accepted, "protect-first").reason.find("accepted: ") != std::string::npos);
  loaded.max_outage = {};
  EXPECT_EQ(of(evaluated_as_assumed(loaded), "protect-first").verdict, MigrationVerdict::Outage);
}

// BIRD writes the routes to other subnets: by the gateway, or unreachable (networking-calico 229).
TEST(Evaluate, AnUncertainFactThatChangesTheVerdictIsACondition) {
  Loaded loaded = aws_shoot(Target::Routed);
  const Evaluation evaluation = evaluated(loaded);
  const StrategyResult& best = evaluation.best();
  ASSERT_EQ(best.conditions.size(), 1u);
  const Condition& condition = best.conditions.front();
  EXPECT_EQ(condition.parameter, "bird.route-beyond-subnet");
  EXPECT_EQ(condition.if_so, MigrationVerdict::GoWithImpact);
  EXPECT_EQ(condition.otherwise, MigrationVerdict::Outage);
  EXPECT_EQ(condition.setting, "migration.bird.route-beyond-subnet=gateway");
  EXPECT_EQ(best.worst(), MigrationVerdict::Outage);
  loaded.answers.beyond_subnet = BeyondSubnet::Gateway;
  EXPECT_TRUE(evaluated_as_assumed(loaded).best().conditions.empty()) << "it has been found out";
}

TEST(Evaluate, ADurationWhoseRangeChangesTheVerdictIsACondition) {
  Loaded loaded = testing::shoot_on("gcp", Target::Routed);
  loaded.strategies = {*find_strategy("today")};
  const Evaluation first = evaluated_as_assumed(loaded);
  loaded.max_outage = first.best().longest();
  loaded.accepted.add(Impact::NodePorts);
  loaded.accepted.add(Impact::UpstreamDns);
  const Evaluation evaluation = evaluated(loaded);
  EXPECT_LT(evaluation.best().verdict, MigrationVerdict::Outage);
  EXPECT_TRUE(std::ranges::any_of(evaluation.best().conditions, [](const Condition& one) {
    return one.parameter == "daemon-set.replace" && one.otherwise >= MigrationVerdict::Outage &&
           !one.command.empty();
  }));
}

// This also holds if the recorded value is the assumed one.
TEST(Evaluate, ARecordedDurationIsNoCondition) {
  Loaded loaded = testing::shoot_on("gcp", Target::Routed);
  loaded.strategies = {*find_strategy("today")};
  loaded.max_outage = evaluated(loaded).best().longest();
  for (const TimingFact& fact : timing_facts())
    loaded.answers.durations.insert(fact.name);
  const Evaluation evaluation = evaluated(loaded);
  for (const Condition& one : evaluation.best().conditions)
    EXPECT_FALSE(loaded.answers.durations.contains(one.parameter)) << one.parameter;
}

TEST(Evaluate, CommandsThatTimeNameTheShootAndTheAgent) {
  const Loaded loaded = testing::shoot_on("gcp", Target::Routed);
  for (const TimingFact& fact : timing_facts()) {
    const std::string command = command_of(fact, loaded.transition);
    EXPECT_EQ(command.find("--watch"), std::string::npos) << "it never ends: " << command;
    for (const char* placeholder : {"{namespace}", "{name}", "{agent}", "$NAME"})
      EXPECT_EQ(command.find(placeholder), std::string::npos) << fact.name << ": " << command;
    const auto read_back =
        spec::parse_duration(setting_text(loaded.timing.*fact.value), spec::kMaxSwitchDuration);
    ASSERT_TRUE(read_back) << fact.name;
    EXPECT_EQ(*read_back, loaded.timing.*fact.value) << fact.name;
  }
}

TEST(Evaluate, TheMaintenanceWindowSpansAllDurations) {
  Loaded loaded = aws_shoot(Target::Routed);
  const Evaluation evaluation = evaluated(loaded);
  for (const StrategyResult& result : evaluation.strategies) {
    ASSERT_TRUE(result.window) << result.strategy->name;
    EXPECT_LT(result.window->shortest, result.window->usual) << result.strategy->name;
    EXPECT_LT(result.window->usual, result.window->longest) << result.strategy->name;
  }
}

// Calico claims blocks (/26) anywhere in the pod range, and here pod CIDRs use the whole range.
TEST(Evaluate, BlocksOfCalicoIpamInPodCidrsOfNodesAreNoGo) {
  Loaded crowded = testing::shoot_on("gcp", Target::Vxlan, 6, {}, "calico", "", "100.96.0.0/21");
  const Evaluation evaluation = evaluated(crowded);
  EXPECT_EQ(evaluation.best().verdict, MigrationVerdict::NoGo);
  EXPECT_TRUE(evaluation.best().reason.find("calico-ipam allocates blocks") != std::string::npos)
      << evaluation.best().reason;
  Loaded sparse = testing::shoot_on("gcp", Target::Vxlan, 6);
  const Evaluation unlikely = evaluated(sparse);
  EXPECT_EQ(unlikely.best().verdict, MigrationVerdict::Unknown);
  EXPECT_EQ(unlikely.best().unknowns.size(), 1u);
  // The draw of a single seed does not decide.
  Loaded possible = testing::shoot_on("gcp", Target::Vxlan, 6, {}, "calico", "", "100.96.0.0/16");
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_EQ(evaluate(possible, {.seed = seed, .vary_durations = false}).best().verdict,
              MigrationVerdict::Unknown)
        << seed;
  sparse.accepted.add(Impact::IpamBlocks);
  EXPECT_EQ(evaluated(sparse).best().verdict, MigrationVerdict::GoWithImpact)
      << "pods are made again";
}

TEST(Evaluate, SaysWhatTheOutageDependsOn) {
  Loaded loaded = testing::shoot_on("gcp", Target::Routed);
  const Evaluation evaluation = evaluated(loaded);
  const Sensitivity& reaction = sensitivity(evaluation, "operator.reaction");
  EXPECT_GT(reaction.at_most, reaction.at_least + seconds(30));
  const Sensitivity& route = sensitivity(evaluation, "bird.route-beyond-subnet");
  EXPECT_EQ(route.assumption.value, "unreachable") << "a machine's address is a /32";
  EXPECT_LT(route.at_least, route.at_most);
  EXPECT_EQ(sensitivity(evaluation, "gardenlet.control-plane").effect(), Picos{})
      << "the outage begins later, and is as long";
  EXPECT_TRUE(std::ranges::is_sorted(evaluation.best().sensitivities, std::greater(),
                                     &Sensitivity::effect));
}

TEST(Evaluate, RefusedRoutesAreABlocker) {
  derive::DeriveOptions derive;
  derive.landscape.route_quotas[provider::Provider::Aws] = 6;
  Loaded loaded = aws_shoot(Target::Routed, 6, derive);
  const Evaluation evaluation = evaluated_as_assumed(loaded);
  EXPECT_EQ(evaluation.best().verdict, MigrationVerdict::NoGo);
  EXPECT_GT(of(evaluation, "today").lasting(), 0u);
  EXPECT_EQ(
      of(evaluation, "protect-first").blockers,
      (std::vector<std::string>{"machine-controller-manager replaces 2 nodes, whose condition "
                                "NetworkUnavailable stays True: all their pods end",
                                "the cloud refuses 4 routes"}));
  EXPECT_EQ(of(evaluation, "seamless").lasting(), 0u);
  EXPECT_EQ(of(evaluation, "seamless").blockers.size(), 3u) << "and the Network is never deployed";
}

// In a rollback, new pods with BIRD mark their nodes as unavailable.
TEST(Evaluate, ARollbackThatMayLoseNodesIsBetterWithTheirConditionsProtected) {
  Loaded loaded = aws_shoot(Target::Ipip);
  EXPECT_FALSE(loaded.may_lose_nodes());
  loaded.disturbance = Disturbance{Disturbance::Kind::Rollback, seconds(90)};
  ASSERT_TRUE(loaded.may_lose_nodes());
  loaded.strategies = usual_strategies(loaded.transition, true);
  const Evaluation evaluation = evaluate(loaded, {});
  EXPECT_EQ(evaluation.strategies.front().verdict, MigrationVerdict::NoGo) << "today";
  EXPECT_EQ(evaluation.best().strategy->name, "protect-first");
  EXPECT_TRUE(evaluation.best().blockers.empty());
}

TEST(Evaluate, NamesWhatIsLeftBehind) {
  Loaded to_routed = aws_shoot(Target::Routed);
  const auto of_routed = evaluated_as_assumed(to_routed).leftovers;
  ASSERT_EQ(of_routed.size(), 3u);
  EXPECT_EQ(of_routed[0].what, "the device tunl0 stays on 6 nodes");
  EXPECT_EQ(of_routed[1].what, "pods reach 10.250.0.0/16 unmasqueraded");
  Loaded to_overlay = aws_shoot(Target::Ipip);
  const auto of_overlay = evaluated_as_assumed(to_overlay).leftovers;
  ASSERT_EQ(of_overlay.size(), 2u);
  EXPECT_TRUE(of_overlay[0].what.starts_with("12 routes to pods")) << of_overlay[0].what;
}

}  // namespace evaluate_test
}  // namespace overlane::migration
