#include "bench/suite/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/model/run_report_json.h"
#include "results/model/testing/example_report.h"

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

}  // namespace overlane::suite
