#include "results/model/suite_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/model/testing/example_suite_run.h"

namespace overlane::model {
namespace suite_run_json_test {

using Json = nlohmann::ordered_json;

/// A finished run whose rounds alternated with those of another run.
SuiteRun ended_run() {
  SuiteRun run = example_suite_run("a");
  run.state = RunState::Interrupted;
  run.ended_ms = run.started_ms + 7;
  run.beside = "b";
  run.purpose = RunPurpose::Base;
  run.shard = "2/4";
  return run;
}

TEST(SuiteRunJson, ARunIsTheSameAfterItWasWrittenAndRead) {
  for (const SuiteRun& run : {example_suite_run("a"), ended_run()}) {
    const auto read = decode_suite_run(Json::parse(encode(run).dump()));
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(*read, run);
  }
}

TEST(SuiteRunJson, LinesHoldSeveralRuns) {
  const std::string lines = suite_run_lines(ended_run()) + suite_run_lines(example_suite_run("b"));
  const auto read = read_suite_run_lines(lines);
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at(0), ended_run());
  EXPECT_EQ(read->at(1), example_suite_run("b"));
}

TEST(SuiteRunJson, AMetricIsALineOfItsOwn) {
  const std::string lines = suite_run_lines(example_suite_run("a"));
  EXPECT_NE(
      lines.find("\n{\"metric\":{\"name\":\"loop_seconds\",\"unit\":\"s\",\"better\":\"lower\","
                 "\"tolerance\":\"time\",\"samples\":[[0,0.125],[1,1.0]]}}\n"),
      std::string::npos)
      << lines;
}

TEST(SuiteRunJson, NamesTheLineThatIsWrong) {
  const std::string head = suite_run_lines(SuiteRun{.id = "a"});
  struct Case {
    std::string lines;
    const char* why;
  };
  const Case kCases[] = {
      {"{", "line 1: no JSON"},
      {R"({"case":{}})", "line 1: the first line is no SuiteRun"},
      {R"({"kind":"RunReport","schema_version":1})", "line 1: a RunReport, not a SuiteRun"},
      {head + R"({"metric":{"name":"m"}})", "line 2: metric.unit: missing"},
      {head + R"({"metric":{"name":"m","unit":"","better":"lower","tolerance":"time",)"
              R"("samples":[]}})",
       "line 2: a metric before its case"},
      {head + "\n" + R"({"surprise":1})", "line 3: metric: missing"},
      {head + R"({"metric":{"name":"m","unit":"","better":"lower","tolerance":"time",)"
              R"("samples":[[1]]}})",
       "line 2: metric.samples[0]: not a pair of round and value"},
  };
  for (const Case& row : kCases) {
    const auto read = read_suite_run_lines(row.lines);
    ASSERT_FALSE(read) << row.lines;
    EXPECT_EQ(read.error(), row.why);
  }
}

}  // namespace suite_run_json_test
}  // namespace overlane::model
