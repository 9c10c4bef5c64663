#include "bench/suite/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/model/run_report_json.h"
#include "results/model/suite_run.h"
#include "results/model/testing/example_report.h"
#include "results/model/testing/example_suite_run.h"

namespace overlane::suite {

namespace values_test {

using Json = nlohmann::ordered_json;
using Whole = std::int64_t;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<NamedFigure> values(const char* text) {
  return values_of(Json::parse(text)).value();
}

TEST(Values, AreNamedByTheKeysThatLeadToThem) {
  EXPECT_THAT(
      values(R"({"a":{"b":7,"c":null,"d":true,"e":"x"},"list":[{"name":"n","f":1.5},[8]]})"),
      ElementsAre(NamedFigure{"a/b", Whole{7}}, NamedFigure{"a/e", "x"},
                  NamedFigure{"list/n/name", "n"}, NamedFigure{"list/n/f", 1.5},
                  NamedFigure{"list/1/0", Whole{8}}));
}

TEST(Values, OfARunHaveTheTimeOfAPacketHop) {
  const auto found = values_of(model::encode(model::example_report())).value();
  EXPECT_THAT(found, Contains(NamedFigure{"variants/routed/engine/events", Whole{90'000}}));
  EXPECT_THAT(found, Contains(NamedFigure{"variants/routed/engine/ns_per_packet_hop",
                                          0.25 * 1e9 / 40'000}));
}

TEST(Values, OfGoogleBenchmarkAreNanosecondsOfEachRepetition) {
  EXPECT_THAT(
      values(R"({"context":{},"benchmarks":[
    {"name":"B/8/repeats:2","run_name":"B/8/iterations:100/manual_time","run_type":"iteration","iterations":100,
     "repetition_index":0,"real_time":2.0,"cpu_time":1.5,"time_unit":"us","tsc":3.5},
    {"name":"B/8/repeats:2","run_name":"B/8","run_type":"iteration","iterations":100,
     "repetition_index":1,"real_time":4.0,"cpu_time":2.5,"time_unit":"us","tsc":4.5},
    {"name":"B/8/repeats:2_mean","run_name":"B/8","run_type":"aggregate","cpu_time":2.0}]})"),
      ElementsAre(NamedFigure{"B/8/cpu_time_ns", 1500.0}, NamedFigure{"B/8/real_time_ns", 2000.0},
                  NamedFigure{"B/8/tsc", 3.5}, NamedFigure{"B/8/cpu_time_ns", 2500.0},
                  NamedFigure{"B/8/real_time_ns", 4000.0}, NamedFigure{"B/8/tsc", 4.5}));
}

TEST(Values, ABenchmarksErrorIsOne) {
  const auto found = values_of(Json::parse(
      R"({"context":{},"benchmarks":[{"name":"B","error_occurred":true,
          "error_message":"no route"}]})"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), "B: no route");
}

TEST(Values, WhatIsInNoFormatIsAnError) {
  EXPECT_FALSE(values_of(Json::parse("[1]")));
  EXPECT_FALSE(values_of(Json::parse(R"({"kind":"RunReport","variants":[7]})")));
}

TEST(Collect, TheFirstPatternThatMatchesMakesAMetric) {
  const std::vector<MetricPattern> patterns{{.value = "a/*",
                                             .unit = "ns",
                                             .better = model::Better::Lower,
                                             .tolerance = model::Tolerance::Time,
                                             .place = {}},
                                            {.value = "*", .place = {}},
                                            {.value = "never", .place = {}}};
  std::vector<model::MeasuredMetric> metrics;
  collect({{"a/b/c", Whole{1}}, {"d", Whole{2}}}, 0, patterns, metrics);
  collect({{"a/b/c", Whole{3}}}, 1, patterns, metrics);
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].metric.unit, "ns");
  EXPECT_THAT(metrics[0].samples,
              ElementsAre(model::Sample{0, Whole{1}}, model::Sample{1, Whole{3}}));
  EXPECT_EQ(metrics[1].metric.tolerance, model::Tolerance::Exact);
  EXPECT_THAT(unmatched(patterns, metrics), ElementsAre("never"));
}

TEST(Collect, OnlyTheInstructionsAreMetricsOfThatTolerance) {
  const std::vector<MetricPattern> patterns{{.value = "*",
                                             .better = model::Better::Lower,
                                             .tolerance = model::Tolerance::Instructions,
                                             .place = {}}};
  std::vector<model::MeasuredMetric> metrics;
  collect({{"events", Whole{1}}}, 0, patterns, metrics);
  EXPECT_THAT(metrics, IsEmpty());
  collect({{kInstructions, Whole{1}}}, 0, patterns, metrics);
  EXPECT_EQ(metrics.size(), 1u);
}

}  // namespace values_test

namespace import_test {

using ::testing::HasSubstr;
using ::testing::SizeIs;

model::SuiteRun only(const std::string& text) {
  const auto runs = import_runs(text, "file.json");
  if (!runs) throw std::runtime_error(runs.error());
  EXPECT_THAT(*runs, SizeIs(1));
  return runs->at(0);
}

std::string refusal(const std::string& text) {
  const auto runs = import_runs(text, "file.json");
  return runs ? "" : runs.error();
}

TEST(Import, TakesRunsOfSuites) {
  const model::SuiteRun run = model::example_suite_run("a");
  EXPECT_EQ(only(model::encode(run).dump(2)), run);
  EXPECT_THAT(import_runs(model::suite_run_lines(run) + model::suite_run_lines(run), "").value(),
              SizeIs(2));
}

TEST(Import, TakesARunReport) {
  const model::SuiteRun run = only(model::encode(model::example_report()).dump());
  EXPECT_EQ(run.id, "file.json");
  EXPECT_EQ(run.cases.at(0).name, "example");
  EXPECT_EQ(run.environment.kernel, "6.1.0");
  EXPECT_NE(find_metric(run.cases[0], "result_hash"), nullptr);
  EXPECT_NE(find_metric(run.cases[0], "variants/ipip/engine/ns_per_packet_hop"), nullptr);
}

TEST(Import, TakesGoogleBenchmarkAndWritesIt) {
  const std::string text = R"({"context":{"date":"2026-11-26T19:12:34+01:00","num_cpus":2,
    "executable":"./build/overlane_bench","library_build_type":"release"},
    "benchmarks":[{"name":"B","run_name":"B","run_type":"iteration","real_time":2.0,
    "cpu_time":1.5,"time_unit":"us"}]})";
  const model::SuiteRun run = only(text);
  EXPECT_EQ(run.cases.at(0).name, "overlane_bench");
  EXPECT_EQ(run.started_ms, 1'795'716'754'000);
  ASSERT_THAT(run.cases[0].metrics, SizeIs(1));
  EXPECT_EQ(run.cases[0].metrics[0].metric.name, "B/cpu_time_ns");

  const model::SuiteRun again = only(google_benchmark_json(run));
  EXPECT_EQ(again.started_ms, run.started_ms);
  EXPECT_EQ(again.cases.at(0).metrics.at(0).metric.name, "overlane_bench/B/cpu_time/cpu_time_ns");
  EXPECT_EQ(again.cases[0].metrics[0].samples, run.cases[0].metrics[0].samples);
}

TEST(Import, RefusesEverythingElse) {
  EXPECT_THAT(refusal(""), HasSubstr("nothing"));
  EXPECT_THAT(refusal("hello"), HasSubstr("line 1: no JSON"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal("{}"), HasSubstr("none of SuiteRun, RunReport"));
  EXPECT_THAT(refusal(R"({"kind":"OverlapReport"})"),
              HasSubstr("kind OverlapReport have no metrics"));
  EXPECT_THAT(refusal(R"({"kind":7})"), HasSubstr("not in its format"));
  EXPECT_THAT(refusal(R"({"kind":"RunReport"})"), HasSubstr("environment: missing"));
}

}  // namespace import_test
}  // namespace overlane::suite
