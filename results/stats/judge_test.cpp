#include "results/stats/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::stats {

namespace judge_test {

using model::Better;
using model::CaseRun;
using model::CaseStatus;
using model::Figure;
using model::MeasuredMetric;
using model::SuiteRun;
using model::Tolerance;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SuiteRun run_of(MeasuredMetric metric, const std::string& id) {
  SuiteRun run{.id = id, .suite = "s", .beside = id == "base" ? "changed" : "base"};
  CaseRun one{.name = "c", .owner = "o"};
  one.metrics.push_back(std::move(metric));
  run.cases.push_back(std::move(one));
  return run;
}

MeasuredMetric metric(Tolerance tolerance, Better better, const std::vector<Figure>& values) {
  MeasuredMetric measured{
      .metric = {.name = "m", .unit = "", .better = better, .tolerance = tolerance}};
  for (std::size_t i = 0; i < values.size(); ++i)
    measured.samples.push_back({static_cast<std::int64_t>(i), values[i]});
  return measured;
}

MetricJudgement only(const Judgement& judgement) {
  EXPECT_EQ(judgement.metrics.size(), 1u);
  return judgement.metrics.at(0);
}

MetricJudgement judged(Tolerance tolerance, Better better, const std::vector<Figure>& base,
                       const std::vector<Figure>& changed) {
  return only(judge(run_of(metric(tolerance, better, base), "base"),
                    run_of(metric(tolerance, better, changed), "changed")));
}

using Whole = std::int64_t;

TEST(Judge, ExactMetricsMustBeEqual) {
  struct Case {
    Better better;
    Figure base, changed;
    MetricVerdict verdict;
  };
  const Case kCases[] = {
      {Better::Neither, "f68c", "f68c", MetricVerdict::Same},
      {Better::Neither, "f68c", "91ab", MetricVerdict::Changed},
      {Better::Neither, Whole{7}, Whole{8}, MetricVerdict::Changed},
      {Better::Lower, Whole{7}, Whole{7}, MetricVerdict::Same},
      {Better::Lower, Whole{7}, Whole{8}, MetricVerdict::Worse},
      {Better::Lower, Whole{7}, Whole{6}, MetricVerdict::Better},
      {Better::Higher, Whole{7}, Whole{6}, MetricVerdict::Worse},
      {Better::Higher, Whole{7}, Whole{8}, MetricVerdict::Better},
      {Better::Lower, Whole{0}, Whole{1}, MetricVerdict::Worse},
      {Better::Lower, Whole{7}, "seven", MetricVerdict::Changed},
  };
  for (const Case& row : kCases) {
    const auto found = judged(Tolerance::Exact, row.better, {row.base}, {row.changed});
    EXPECT_EQ(found.verdict, row.verdict);
    EXPECT_EQ(found.base, row.base);
    EXPECT_EQ(found.changed, row.changed);
  }
}

TEST(Judge, AnAcceptedChangeIsNoRegressionUntilTheBaseMoves) {
  SuiteRun base = run_of(metric(Tolerance::Exact, Better::Neither, {"a"}), "base");
  SuiteRun changed = run_of(metric(Tolerance::Exact, Better::Neither, {"b"}), "changed");
  base.environment.commit = "0123456789abcdef";
  changed.accepted = {{.case_name = "c*", .metric = "m", .base = "0123456", .reason = "zones"}};
  const Judgement judgement = judge(base, changed);
  EXPECT_EQ(only(judgement).verdict, MetricVerdict::Accepted);
  EXPECT_EQ(only(judgement).reason, "it is changed, and accepted: zones");
  EXPECT_FALSE(judgement.any_regression());

  base.environment.commit = "91ab";
  EXPECT_EQ(only(judge(base, changed)).verdict, MetricVerdict::Changed);
  base.environment.commit = "0123456789abcdef";
  changed.accepted[0].metric = "n";
  EXPECT_EQ(only(judge(base, changed)).verdict, MetricVerdict::Changed);
  changed.accepted[0].metric = "*";
  changed.cases[0].metrics[0].samples.push_back({1, "c"});
  EXPECT_EQ(only(judge(base, changed)).verdict, MetricVerdict::Changed) << "not deterministic";
}

TEST(Judge, ABuildThatDisagreesWithItselfIsNotDeterministic) {
  const auto changed = judged(Tolerance::Exact, Better::Neither, {"a", "a"}, {"a", "b"});
  EXPECT_EQ(changed.verdict, MetricVerdict::Changed);
  EXPECT_THAT(changed.reason, HasSubstr("not deterministic"));
  EXPECT_EQ(judged(Tolerance::Exact, Better::Neither, {"a", "b"}, {"a", "a"}).verdict,
            MetricVerdict::NotJudged);
}

TEST(Judge, InstructionsMayDifferByATenthOfAPercent) {
  struct Case {
    Whole changed;
    MetricVerdict verdict;
  };
  constexpr Case kCases[] = {{1'000'000, MetricVerdict::Same},
                             {1'000'999, MetricVerdict::Same},
                             {1'001'001, MetricVerdict::Worse},
                             {998'999, MetricVerdict::Better}};
  for (const Case& row : kCases)
    EXPECT_EQ(
        judged(Tolerance::Instructions, Better::Lower, {Whole{1'000'000}}, {Figure(row.changed)})
            .verdict,
        row.verdict)
        << row.changed;
}

TEST(Judge, InstructionsOfDifferentCompilersAreNotCompared) {
  SuiteRun base = run_of(metric(Tolerance::Instructions, Better::Lower, {Whole{1}}), "base");
  SuiteRun changed = run_of(metric(Tolerance::Instructions, Better::Lower, {Whole{2}}), "changed");
  base.environment.compiler = "GNU 12.2.0";
  changed.environment.compiler = "Clang 16.0.6";
  const auto found = only(judge(base, changed));
  EXPECT_EQ(found.verdict, MetricVerdict::NotJudged);
  EXPECT_THAT(found.reason, HasSubstr("Clang 16.0.6"));
}

std::vector<Figure> times(std::vector<double> factors, double scale) {
  std::vector<Figure> figures;
  for (const double factor : factors)
    figures.emplace_back(factor * scale);
  return figures;
}

TEST(Judge, TimesAreJudgedByTheMedianOfTheRoundsRatios) {
  const std::vector<double> machine{1, 3, 1, 2, 1, 1, 5, 1, 1, 2};  // Noise that hits both alike.
  struct Case {
    double factor;
    Better better;
    MetricVerdict verdict;
  };
  constexpr Case kCases[] = {
      {1.0, Better::Lower, MetricVerdict::Same},    {1.04, Better::Lower, MetricVerdict::Same},
      {1.06, Better::Lower, MetricVerdict::Worse},  {0.94, Better::Lower, MetricVerdict::Better},
      {0.94, Better::Higher, MetricVerdict::Worse}, {1.07, Better::Higher, MetricVerdict::Better},
  };
  for (const Case& row : kCases) {
    const auto found =
        judged(Tolerance::Time, row.better, times(machine, 10), times(machine, 10 * row.factor));
    EXPECT_EQ(found.verdict, row.verdict) << row.factor;
    EXPECT_NEAR(found.ratio->value, row.factor, 1e-9);
  }
}

TEST(Judge, AnIntervalThatReachesBeyondTheLimitIsUnclear) {
  const auto found = judged(Tolerance::Time, Better::Lower, times({1, 1, 1, 1, 1, 1}, 1),
                            times({0.8, 1.2, 0.9, 1.1, 0.85, 1.15}, 1));
  EXPECT_EQ(found.verdict, MetricVerdict::Unclear);
  EXPECT_FALSE(is_regression(found.verdict));
}

TEST(Judge, MemoryBoundTimesHaveMoreRoom) {
  EXPECT_EQ(
      judged(Tolerance::MemoryBoundTime, Better::Lower, times({1, 1, 1}, 1), times({1, 1, 1}, 1.1))
          .verdict,
      MetricVerdict::Same);
  EXPECT_EQ(
      judged(Tolerance::MemoryBoundTime, Better::Lower, times({1, 1, 1}, 1), times({1, 1, 1}, 1.13))
          .verdict,
      MetricVerdict::Worse);
}

TEST(Judge, TimesOfRunsThatDidNotAlternateAreRelatedToTheYardsticksAndNotJudged) {
  SuiteRun base = run_of(metric(Tolerance::Time, Better::Lower, times({1, 1, 1}, 10)), "base");
  SuiteRun changed = run_of(metric(Tolerance::Time, Better::Lower, times({1, 1, 1}, 33)), "late");
  changed.beside = "";
  base.beside = "";
  base.cases[0].rounds.assign(3, {.compute_ns = 5, .memory_ns = 80});
  changed.cases[0].rounds.assign(3, {.compute_ns = 6, .memory_ns = 90});
  const auto found = only(judge(base, changed));
  EXPECT_EQ(found.verdict, MetricVerdict::NotJudged);
  EXPECT_NEAR(found.ratio->value, 3.3 / 1.2, 1e-9);
  changed.cases[0].rounds.assign(3, {.compute_ns = 15, .memory_ns = 90});
  const auto elsewhere = only(judge(base, changed));
  EXPECT_FALSE(elsewhere.ratio);
  EXPECT_THAT(elsewhere.reason, HasSubstr("different classes of machine"));
}

TEST(Judge, ALimitIsNeverBelowTheNoiseOfTheMachine) {
  const SuiteRun base = run_of(metric(Tolerance::Time, Better::Lower, times({1, 1, 1}, 1)), "base");
  const SuiteRun changed =
      run_of(metric(Tolerance::Time, Better::Lower, times({1, 1, 1}, 1.08)), "changed");
  EXPECT_EQ(only(judge(base, changed)).verdict, MetricVerdict::Worse);
  EXPECT_EQ(
      only(judge(base, changed, {.requested = {{Tolerance::Time, 0.1}}, .noise = {}})).verdict,
      MetricVerdict::Same);
  const auto raised = only(judge(base, changed, {.requested = {}, .noise = {{{"c", "m"}, 0.09}}}));
  EXPECT_EQ(raised.verdict, MetricVerdict::Same);
  EXPECT_EQ(raised.limit, 0.09);
}

TEST(Judge, WhatOnlyOneOfThemHasIsNewOrMissing) {
  const SuiteRun with = run_of(metric(Tolerance::Exact, Better::Neither, {"a"}), "base");
  SuiteRun without = run_of(metric(Tolerance::Exact, Better::Neither, {"a"}), "changed");
  without.cases[0].metrics.clear();
  EXPECT_EQ(only(judge(with, without)).verdict, MetricVerdict::Missing);
  EXPECT_EQ(only(judge(without, with)).verdict, MetricVerdict::New);
  EXPECT_TRUE(judge(with, without).any_regression());
  EXPECT_FALSE(judge(without, with).any_regression());
  without.cases.clear();
  EXPECT_EQ(only(judge(with, without)).verdict, MetricVerdict::Missing) << "the whole case";
}

TEST(Judge, ACaseThatFailsIsARegressionIfItDidNotFailBefore) {
  const SuiteRun good = run_of(metric(Tolerance::Exact, Better::Neither, {"a"}), "base");
  SuiteRun bad = run_of(metric(Tolerance::Exact, Better::Neither, {"a"}), "changed");
  bad.cases[0].metrics.clear();
  bad.cases[0].status = CaseStatus::TimedOut;
  bad.cases[0].reason = "not over after 600 s";
  const Judgement found = judge(good, bad);
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_TRUE(found.problems[0].is_regression);
  EXPECT_TRUE(found.metrics.empty()) << "the case is named once, not for each of its metrics";
  EXPECT_TRUE(found.any_regression());
  EXPECT_FALSE(judge(bad, bad).any_regression());
  EXPECT_FALSE(judge(bad, good).any_regression());
}

TEST(Judge, RatiosToAYardstickOfARateGoUpWithTheRate) {
  CaseRun one{.name = "c", .rounds = {{.compute_ns = 2, .memory_ns = 4}}};
  EXPECT_THAT(yardstick_ratios(one, metric(Tolerance::Time, Better::Lower, {10.0})),
              ElementsAre(5));
  EXPECT_THAT(yardstick_ratios(one, metric(Tolerance::MemoryBoundTime, Better::Lower, {10.0})),
              ElementsAre(2.5));
  EXPECT_THAT(yardstick_ratios(one, metric(Tolerance::Time, Better::Higher, {10.0})),
              ElementsAre(20));
}

}  // namespace judge_test

}  // namespace overlane::stats
