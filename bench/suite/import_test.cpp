#include "bench/suite/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/model/run_report_json.h"
#include "results/model/suite_run_json.h"
#include "results/model/testing/example_report.h"
#include "results/model/testing/example_suite_run.h"

namespace overlane::suite {
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
