#include "scenarios/runner/conclude/steady.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace steady_test {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Twenty flows that start one after another during the first 30 ms.
model::RunReport report(const std::string& warm_up, const std::string& duration = "100ms") {
  const testing::Folder folder;
  return testing::run_or_fail(
      {.paths = {folder.write(
           "s.yaml",
           testing::scenario_on_ten_gigabit(folder, "shoot-aws.yaml") +
               "  traffic:\n"
               "  - {name: asks, kind: request-response, flows: 20, zones: same, requestBytes: 100,"
               " responseBytes: 1000}\n"
               "  - {name: once, kind: tcp, transferBytes: 100000}\n"
               "  duration: " +
               duration + "\n  startSpread: 30ms\n  warmup: " + warm_up + "\n")}});
}

TEST(Steady, TooShortWarmUpIsReportedWithASufficientOne) {
  const model::RunReport soon = report("5ms");
  ASSERT_EQ(soon.findings.size(), 1u);
  const Finding& finding = soon.findings[0];
  EXPECT_EQ(finding.rule, "warmup-too-short");
  EXPECT_EQ(finding.severity, Severity::Warning);
  EXPECT_THAT(finding.message, HasSubstr("asks: goodput had not settled when the warm-up ended"));
  EXPECT_THAT(finding.message, HasSubstr("less than it is from"));

  EXPECT_TRUE(soon.variants[0].traffic[0].latency_steady_state);
  EXPECT_FALSE(soon.variants[0].traffic[1].latency_steady_state) << "not of streams";

  const auto& state = soon.variants[0].traffic[0].steady_state;
  ASSERT_TRUE(state);
  EXPECT_TRUE(state->reached);
  EXPECT_GT(state->from, milliseconds(15));
  EXPECT_LE(state->from, milliseconds(33)) << "a batch or two later";
  const std::string enough = std::to_string(state->from.count / milliseconds(1).count) + "ms";
  EXPECT_EQ(finding.hint, "warmup: " + enough + " would have sufficed");
  const model::RunReport later = report(enough);
  EXPECT_THAT(later.findings, IsEmpty());
  EXPECT_GT(later.variants[0].traffic[0].goodput_bps, soon.variants[0].traffic[0].goodput_bps);

  // A run with the recommended warm-up measures the steady goodput that the finding gives.
  const double ratio = static_cast<double>(soon.variants[0].traffic[0].goodput_bps) /
                       static_cast<double>(later.variants[0].traffic[0].goodput_bps);
  EXPECT_NEAR(ratio - 1, static_cast<double>(state->bias_ppm) / 1e6, 0.002);
}

TEST(Steady, AutoUsesTheWarmUpOfAPilotRun) {
  const model::RunReport found = report("auto");
  EXPECT_THAT(found.findings, IsEmpty());
  EXPECT_THAT(found.assumptions, Contains(Field(&model::Assumption::parameter, "warmup")));
  const auto& state = found.variants[0].traffic[0].steady_state;
  ASSERT_TRUE(state);
  const model::RunReport by_hand =
      report(std::to_string(state->from.count / milliseconds(1).count) + "ms");
  EXPECT_EQ(found.variants[0].traffic[0].goodput_bps, by_hand.variants[0].traffic[0].goodput_bps);
}

TEST(Steady, RunThatGrowsToItsEndIsNotSteady) {
  const model::RunReport growing = report("1ms", "30ms");
  ASSERT_EQ(growing.findings.size(), 1u);
  EXPECT_EQ(growing.findings[0].rule, "not-steady");
  EXPECT_THAT(growing.findings[0].message, HasSubstr("asks: goodput still grew by"));
  EXPECT_FALSE(growing.variants[0].traffic[0].steady_state->reached);
}

TEST(Steady, TrafficThatEndsIsNotEvaluated) {
  EXPECT_FALSE(report("5ms").variants[0].traffic[1].steady_state);
}

}  // namespace steady_test
}  // namespace overlane::runner
