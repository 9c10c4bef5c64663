#include "results/stats/trend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/stats/testing/nights.h"

namespace overlane::stats {

namespace drift_test {

TEST(Drift, IsTheEndOfTheLineOverItsBeginning) {
  EXPECT_NEAR(drift_of(std::vector<double>{100, 102, 104, 106, 108, 110}).value_or(0), 1.1, 1e-9);
  EXPECT_NEAR(drift_of(std::vector<double>{10, 9, 8, 7, 6, 5}).value_or(0), 0.5, 1e-9);
  // One outlier does not change the slope of the line.
  EXPECT_NEAR(
      drift_of(std::vector<double>{100, 101, 102, 999, 104, 105, 106, 107, 108, 109}).value_or(0),
      1.09, 0.01);
}

TEST(Drift, NoiseAndShortSeriesHaveNone) {
  EXPECT_FALSE(drift_of(std::vector<double>{1, 2, 3, 4}));
  EXPECT_FALSE(drift_of(std::vector<double>{5, 5, 5, 5, 5, 5, 5, 5}));
  int drifts = 0;
  for (std::uint64_t series = 0; series < 500; ++series) {
    std::vector<double> values = testing::normal_numbers(series, 14);
    for (double& value : values)
      value = 100 + value;
    drifts += drift_of(values) ? 1 : 0;
  }
  EXPECT_LE(drifts, 10) << "of 500, at 1 %";
}

}  // namespace drift_test

namespace trend_test {

using model::SuiteRun;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Nights;
using ::testing::SizeIs;

MetricTrend only(const std::vector<SuiteRun>& runs) {
  const auto trends = find_trends(runs);
  EXPECT_THAT(trends, SizeIs(1));
  return trends.at(0);
}

/// The nights without the runs of their bases.
std::vector<SuiteRun> without_bases(std::vector<SuiteRun> runs) {
  std::erase_if(runs, [](const SuiteRun& run) { return run.purpose == model::RunPurpose::Base; });
  for (SuiteRun& run : runs)
    run.beside = "";
  return runs;
}

auto step_at(std::size_t first, double factor) {
  return [=](std::size_t night) { return night >= first ? factor : 1.0; };
}

TEST(Trend, AStepIsNamedByTheCommitsAroundIt) {
  const auto runs = Nights{.count = 14, .time = step_at(9, 1.10)}.runs();
  const MetricTrend trend = only(runs);
  EXPECT_EQ(trend.of, TrendOf::Base);
  EXPECT_EQ(trend.verdict, MetricVerdict::Worse);
  ASSERT_THAT(trend.steps, SizeIs(1));
  EXPECT_EQ(runs[trend.steps[0].before].environment.commit, "commit-8");
  EXPECT_EQ(runs[trend.steps[0].after].environment.commit, "commit-9");
  EXPECT_NEAR(trend.steps[0].ratio, 1.10, 0.01);
  EXPECT_TRUE(trend.steps[0].is_worse);
}

TEST(Trend, AnAcceptedStepIsNotWorse) {
  auto runs = Nights{.count = 14, .time = step_at(9, 1.10)}.runs();
  for (SuiteRun& run : runs) {
    if (run.environment.commit == "base") run.environment.commit = "base-commit";
    run.accepted = {{.case_name = "*", .metric = "*", .base = "base-co", .reason = "zones"}};
  }
  const MetricTrend trend = only(runs);
  EXPECT_EQ(trend.verdict, MetricVerdict::Accepted);
  EXPECT_THAT(trend.steps, SizeIs(1));
}

TEST(Trend, NightsWithoutAChangeAreSteady) {
  const MetricTrend trend = only(Nights{.count = 14}.runs());
  EXPECT_EQ(trend.verdict, MetricVerdict::Same);
  EXPECT_THAT(trend.steps, IsEmpty());
}

TEST(Trend, OneBadNightIsASpike) {
  const auto spike = [](std::size_t night) { return night == 6 ? 1.3 : 1.0; };
  const MetricTrend trend = only(Nights{.count = 14, .time = spike}.runs());
  EXPECT_EQ(trend.verdict, MetricVerdict::Same);
  EXPECT_THAT(trend.spikes, ElementsAre(6));
  EXPECT_THAT(trend.steps, IsEmpty());
}

TEST(Trend, TheLastNightAloneWaitsForTheNext) {
  EXPECT_EQ(only(Nights{.count = 10, .time = step_at(9, 1.3)}.runs()).verdict, MetricVerdict::Same);
  EXPECT_EQ(only(Nights{.count = 11, .time = step_at(9, 1.3)}.runs()).verdict,
            MetricVerdict::Worse);
}

TEST(Trend, AnImprovementIsBetter) {
  EXPECT_EQ(only(Nights{.count = 14, .time = step_at(7, 0.9)}.runs()).verdict,
            MetricVerdict::Better);
}

/// Every third night on a machine that is three times slower.
TEST(Trend, AnotherMachineIsNoChange) {
  const Nights nights{.count = 14, .machine = [](std::size_t n) { return n % 3 == 0 ? 3.0 : 1.0; }};
  const MetricTrend over_base = only(nights.runs());
  EXPECT_EQ(over_base.verdict, MetricVerdict::Same);
  EXPECT_EQ(over_base.left_out, 0u);
  const MetricTrend over_yardstick = only(without_bases(nights.runs()));
  EXPECT_EQ(over_yardstick.of, TrendOf::Yardstick);
  EXPECT_EQ(over_yardstick.verdict, MetricVerdict::Same);
  EXPECT_EQ(over_yardstick.points.size() + over_yardstick.left_out, 14u);
  EXPECT_GT(over_yardstick.left_out, 0u) << "of another class of machine";
}

TEST(Trend, AMachineThatGetsALittleSlowerIsNoChangeOverTheYardsticks) {
  const Nights nights{.count = 14, .machine = [](std::size_t n) { return n < 7 ? 1.0 : 1.2; }};
  const MetricTrend trend = only(without_bases(nights.runs()));
  EXPECT_EQ(trend.verdict, MetricVerdict::Same);
  EXPECT_EQ(trend.left_out, 0u);
}

TEST(Trend, RunsAgainstAnotherBaseAreLeftOut) {
  auto runs = Nights{.count = 14}.runs();
  for (std::size_t i = 0; i < 8; ++i)
    if (runs[i].purpose == model::RunPurpose::Base) runs[i].environment.commit = "older";
  const MetricTrend trend = only(runs);
  EXPECT_EQ(trend.points.size(), 10u);
  EXPECT_EQ(trend.left_out, 4u);
}

SuiteRun exact_run(int night, model::Metric metric, model::Figure figure) {
  SuiteRun run{.id = std::to_string(night), .suite = "s", .started_ms = night};
  model::CaseRun one{.name = "c"};
  one.metrics.push_back({.metric = std::move(metric), .samples = {{0, std::move(figure)}}});
  run.cases.push_back(std::move(one));
  return run;
}

TEST(Trend, AHashChangesWhereItIsAnother) {
  std::vector<SuiteRun> runs;
  for (const char* hash : {"a", "a", "b", "b"})
    runs.push_back(exact_run(static_cast<int>(runs.size()), {.name = "result_hash"}, hash));
  const MetricTrend trend = only(runs);
  EXPECT_EQ(trend.verdict, MetricVerdict::Changed);
  ASSERT_THAT(trend.steps, SizeIs(1));
  EXPECT_EQ(trend.steps[0].before, 1u);
  EXPECT_EQ(trend.steps[0].after, 2u);
}

TEST(Trend, InstructionsChangeBeyondATenthOfAPercent) {
  const model::Metric metric{.name = "process/instructions",
                             .better = model::Better::Lower,
                             .tolerance = model::Tolerance::Instructions};
  std::vector<SuiteRun> runs;
  for (const std::int64_t count : {1'000'000, 1'000'500, 1'002'000, 1'002'100})
    runs.push_back(exact_run(static_cast<int>(runs.size()), metric, count));
  const MetricTrend trend = only(runs);
  EXPECT_EQ(trend.verdict, MetricVerdict::Worse);
  ASSERT_THAT(trend.steps, SizeIs(1));
  EXPECT_EQ(trend.steps[0].after, 2u);
}

TEST(Trend, FewerThanFiveTimesAreNotJudged) {
  for (std::size_t count = 1; count < kMinTimes; ++count) {
    const auto runs = without_bases(Nights{.count = count, .time = step_at(1, 3.0)}.runs());
    const MetricTrend trend = only(runs);
    EXPECT_EQ(trend.verdict, MetricVerdict::NotJudged) << count;
    EXPECT_THAT(trend.steps, IsEmpty()) << count;
  }
}

/// A shared machine: after division by the yardsticks, nights of the same build differ by 10 %. The
/// documentation states this share.
TEST(Trend, NoiseOfAFewNightsIsSeldomCalledWorse) {
  constexpr int kSeries = 200;
  for (const std::size_t count : {5, 6, 8, 14}) {
    int worse = 0;
    for (std::uint64_t series = 0; series < kSeries; ++series) {
      const Nights nights{.entity = series, .count = count, .night_noise = 0.1};
      worse += only(without_bases(nights.runs())).verdict == MetricVerdict::Worse ? 1 : 0;
    }
    EXPECT_LE(worse, kSeries / 50) << count;
  }
}

TEST(Trend, NothingComesOfNothing) {
  EXPECT_THAT(find_trends({}), IsEmpty());
}

}  // namespace trend_test

}  // namespace overlane::stats
