#include "bench/suite/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::suite {
namespace suite_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Suite, Findings> decode(const std::string& spec) {
  const document::Stream stream = document::parse(
      "apiVersion: overlane.dev/v1alpha1\nkind: Suite\nmetadata: {name: s}\n"
      "spec:\n" +
          spec,
      "s.yaml");
  if (stream.documents.size() != 1) return fail(stream.findings);
  return document::decode_whole(stream.documents.front(), &decode_suite);
}

std::string fault(const std::string& spec) {
  const auto suite = decode(spec);
  return suite ? "" : suite.error().front().to_string();
}

constexpr const char* kCase = "  cases:\n  - {name: a, owner: o, ";

TEST(Suite, ACaseIsACommandWithMetrics) {
  const auto suite = decode(
      "  rounds: {least: 3, most: 9}\n  timeout: 60s\n  cases:\n"
      "  - name: a\n    owner: sim/run\n    command: [overlane, overlap, x.yaml]\n"
      "    exitCodes: [0, 1]\n    timeout: 5s\n"
      "    metrics:\n    - {value: summary/*}\n"
      "    - {value: process/user_seconds, unit: s, better: lower, tolerance: time}\n");
  ASSERT_TRUE(suite) << suite.error().front().to_string();
  EXPECT_EQ(suite->rounds.min, 3u);
  EXPECT_EQ(suite->rounds.max, 9u);
  const SuiteCase& one = suite->cases.at(0);
  EXPECT_EQ(one.owner, "sim/run");
  EXPECT_THAT(one.command, ElementsAre("overlane", "overlap", "x.yaml"));
  EXPECT_THAT(one.exit_codes, ElementsAre(0, 1));
  EXPECT_EQ(one.timeout, std::chrono::seconds(5));
  EXPECT_EQ(one.metrics.at(0).tolerance, model::Tolerance::Exact);
  EXPECT_EQ(one.metrics.at(1).better, model::Better::Lower);
  EXPECT_TRUE(one.has_time());
  EXPECT_FALSE(one.has_instructions());
}

TEST(Suite, KnownProgramsBringTheirOptionsAndMetrics) {
  const auto suite = decode(
      "  cases:\n"
      "  - {name: a, owner: o, scenario: {path: s.yaml, arguments: [--nodes, '5']}}\n"
      "  - {name: b, owner: o, benchmark: {filter: ^Lookup, arguments: [--x]}}\n"
      "  - {name: c, owner: o, fastpath: {path: m.yaml}, metrics: [{value: x}]}\n");
  ASSERT_TRUE(suite) << suite.error().front().to_string();
  EXPECT_THAT(suite->cases[0].command,
              ElementsAre("overlane", "run", "s.yaml", "--quiet", "--threads", "1", "--output",
                          "json", "--nodes", "5"));
  EXPECT_EQ(suite->cases[0].metrics.front().value, "result_hash");
  EXPECT_THAT(suite->cases[1].command, ElementsAre("overlane_bench", "--benchmark_filter=^Lookup",
                                                   "--benchmark_format=json", "--x"));
  EXPECT_TRUE(suite->cases[1].has_time());
  EXPECT_THAT(suite->cases[2].command,
              ElementsAre("overlane-fastpath", "bench", "m.yaml", "--output", "json"));
  EXPECT_EQ(suite->cases[2].metrics.size(), 1u) << "its own instead of the usual ones";
  EXPECT_EQ(suite->cases[2].timeout, std::chrono::minutes(10));
}

TEST(Suite, AMatrixIsACaseForEachOfItsCells) {
  const auto suite = decode(
      "  cases:\n  - name: pods\n    owner: o\n"
      "    matrix: {cloud: [aws, gcp], nodes: [2, 5]}\n"
      "    scenario: {path: 'shoot-{cloud}.yaml', arguments: [--nodes, '{nodes}', '{other}']}\n");
  ASSERT_TRUE(suite) << suite.error().front().to_string();
  ASSERT_EQ(suite->cases.size(), 4u);
  EXPECT_EQ(suite->cases[0].name, "pods/cloud=aws/nodes=2");
  EXPECT_EQ(suite->cases[3].name, "pods/cloud=gcp/nodes=5");
  EXPECT_THAT(suite->cases[3].command, ::testing::Contains("shoot-gcp.yaml"));
  EXPECT_THAT(suite->cases[3].command, ::testing::Contains("{other}"));
}

TEST(Suite, ChangesThatAreMeantAreAccepted) {
  const auto suite = decode(std::string(kCase) +
                            "benchmark: {}}\n"
                            "  accepted: [{case: a, metric: m/*, base: 012345a, reason: zones}]\n");
  ASSERT_TRUE(suite) << suite.error().front().to_string();
  EXPECT_THAT(suite->accepted,
              ElementsAre(model::AcceptedChange{
                  .case_name = "a", .metric = "m/*", .base = "012345a", .reason = "zones"}));
}

TEST(Suite, FaultsAreNamedWithTheirPlace) {
  struct Case {
    std::string spec;
    const char* fault;
  };
  const std::string head = kCase;
  const Case kCases[] = {
      {"  {}\n", "spec needs the key cases"},
      {head + "command: [x]}\n", "has a command, and no metrics"},
      {head + "command: [], metrics: [{value: x}]}\n", "a command needs a program"},
      {head + "metrics: [{value: x}]}\n", "a case has one program, and case a has 0"},
      {head + "scenario: {path: s}, benchmark: {}}\n", "case a has 2"},
      {head + "scenario: {}}\n", "needs the key path"},
      {head + "benchmark: {}, metrics: [{value: x, tolerance: time}]}\n",
       "must say which way it gets better"},
      {head + "benchmark: {}, metrics: [{value: x, tolerance: roughly}]}\n", "roughly"},
      {head + "benchmark: {}, surprise: 1}\n", "surprise"},
      {head + "benchmark: {}}\n  - {name: a, owner: o, benchmark: {}}\n",
       "there is a case a before"},
      {"  rounds: {least: 5, most: 2}\n" + head + "benchmark: {}}\n",
       "at most 2 rounds are fewer than at least 5"},
      {head + "benchmark: {}, matrix: {nodes: []}}\n", "nodes has no values"},
      {head + "benchmark: {}, matrix: {nodes: [1, 2]}}\n", "no argument has {nodes}"},
      {head + "benchmark: {}}\n  accepted: [{case: b*, metric: m, base: 012345a, reason: r}]\n",
       "no case is called b*"},
      {head + "benchmark: {}}\n  accepted: [{case: a, metric: m, base: 0a1b2, reason: r}]\n",
       "5 digits of a commit are too few to name it"},
      {head + "benchmark: {}}\n  accepted: [{case: a, metric: m, base: 0a1b2c3}]\n",
       "needs the key reason"},
      {"  timeout: 0s\n" + head + "benchmark: {}}\n", "timeout"},
  };
  for (const Case& row : kCases) {
    EXPECT_THAT(fault(row.spec), HasSubstr(row.fault)) << row.spec;
    EXPECT_THAT(fault(row.spec), HasSubstr("s.yaml:")) << row.spec;
  }
}

TEST(Suite, TheFileGivesTheDigest) {
  const auto suite = load_suite(source_file("bench/suites/quick.yaml"));
  ASSERT_TRUE(suite) << suite.error().front().to_string();
  EXPECT_EQ(suite->digest.size(), 32u);
  EXPECT_FALSE(load_suite("/no/such/file.yaml"));
}

TEST(Suite, TheBuiltInOneNeedsNoFile) {
  const auto suite = load_suite("quick");
  ASSERT_TRUE(suite) << suite.error().front().to_string();
  EXPECT_EQ(suite->digest, load_suite(source_file("bench/suites/quick.yaml"))->digest);
  EXPECT_EQ(built_in_suites(), std::vector<std::string>{"quick"});
  for (const SuiteCase& one : suite->cases)
    for (const std::string& word : one.command)
      EXPECT_FALSE(word.find('/') != std::string::npos) << word;

  const auto other = load_suite("quik");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().front().hint, HasSubstr("quick"));
}

}  // namespace suite_test
}  // namespace overlane::suite
