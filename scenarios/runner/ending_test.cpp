#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/model/run_report_json.h"
#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"
#include "scenarios/runner/runner.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace ending_test {

using model::Ending;
using model::VariantStatus;
using ::testing::HasSubstr;

/// Eight identical variants, each with a stream and then datagrams.
std::string eight_variants(const testing::Folder& folder, const std::string& duration) {
  std::string variants;
  for (int i = 1; i <= 8; ++i)
    variants += "  - {name: v" + std::to_string(i) + "}\n";
  return folder.write("s.yaml",
                      "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\n"
                      "spec:\n  manifests: [" +
                          testing::manifest("shoot-aws.yaml") +
                          "]\n  concurrent: false\n  traffic:\n  - {name: bulk, kind: tcp}\n"
                          "  - {name: pings, kind: udp, rate: 10Mbit/s, payloadBytes: 500}\n"
                          "  duration: " +
                          duration + "\n  variants:\n" + variants);
}

TEST(Ending, InterruptedRunKeepsCompleteVariantsAndReasonsForTheOthers) {
  const testing::Folder folder;
  std::atomic<bool> stop = false;
  Progress progress;
  Request asked{.paths = {eight_variants(folder, "1s")}, .threads = 1};
  asked.steering = {.stop = &stop, .progress = &progress};
  std::jthread stopper([&] {
    while (progress.look().done < 2)  // The first variant's streams and datagrams.
      std::this_thread::yield();
    stop = true;
  });
  const model::RunReport report = testing::run_or_fail(asked);
  EXPECT_EQ(model::ending_of(report), Ending::Interrupted);
  EXPECT_EQ(report.findings.back().rule, "interrupted");
  EXPECT_EQ(report.variants.front().status, VariantStatus::Ok);
  EXPECT_EQ(report.variants.front().traffic.size(), 2u);
  EXPECT_EQ(report.variants.back().status, VariantStatus::NotRun);
  EXPECT_EQ(report.variants.back().reason, "the run was interrupted before");
  for (const model::Comparison& row : report.comparison) {
    const auto variant =
        std::ranges::find(report.variants, row.variant, &model::VariantResult::name);
    EXPECT_EQ(variant->status, VariantStatus::Ok) << "only complete figures are compared";
  }
  asked.steering = {};
  const model::RunReport whole = testing::run_or_fail(asked);
  EXPECT_EQ(report.variants[0].traffic[0].packets, whole.variants[0].traffic[0].packets);
}

TEST(Ending, ScenarioStoppedBeforeItsStartHasNotRun) {
  const testing::Folder folder;
  const std::atomic<bool> stop = true;
  Request asked{.paths = {eight_variants(folder, "5ms")}};
  asked.steering.stop = &stop;
  const model::RunReport report = testing::run_or_fail(asked);
  for (const model::VariantResult& variant : report.variants)
    EXPECT_EQ(variant.status, VariantStatus::NotRun);
  EXPECT_TRUE(report.comparison.empty());
}

TEST(Ending, RunAtTheEventLimitIsPartialAndDeterministic) {
  const testing::Folder folder;
  Request asked{.paths = {eight_variants(folder, "50ms")}, .threads = 1, .max_events = 300};
  const model::RunReport report = testing::run_or_fail(asked);
  EXPECT_EQ(model::ending_of(report), Ending::EventLimit);
  EXPECT_EQ(report.findings.back().rule, "event-limit");
  for (const model::VariantResult& variant : report.variants) {
    EXPECT_EQ(variant.status, VariantStatus::Partial);
    EXPECT_THAT(variant.reason, HasSubstr("bulk: ended behind 300 events"));
    ASSERT_EQ(variant.traffic.size(), 2u);
    EXPECT_TRUE(variant.traffic[0].packets.balanced());
  }
  asked.threads = 2;
  EXPECT_EQ(model::result_hash(testing::run_or_fail(asked)), model::result_hash(report));
}

TEST(Ending, TooMuchMemoryIsRefusedWithTheEstimate) {
  const testing::Folder folder;
  Request asked{.paths = {eight_variants(folder, "5ms")}, .max_memory = Bytes{1'000'000}};
  const auto prepared = prepare(asked);
  ASSERT_TRUE(prepared);
  const auto refused = run(*prepared, asked);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Failure::Kind::TooLarge);
  const Finding& finding = refused.error().findings.at(0);
  EXPECT_EQ(finding.rule, "memory-limit");
  EXPECT_THAT(finding.message, HasSubstr("the run would take about 1"));
  EXPECT_THAT(finding.message, HasSubstr("--max-memory allows 1 MB"));
}

TEST(Ending, ThreadsAreReducedToFitTheMemory) {
  const testing::Folder folder;
  const Request asked{.paths = {eight_variants(folder, "5ms")}};
  const auto prepared = prepare(asked);
  ASSERT_TRUE(prepared);
  const Plan plan = make_plan(*prepared, {.threads = 8});
  std::uint32_t before = 0;
  for (std::int64_t limit = 1'000'000; before < 8; limit += 50'000) {
    const auto threads = threads_that_fit(plan, 8, {.requested = Bytes{limit}});
    const std::uint32_t now = threads ? *threads : 0;
    EXPECT_GE(now, before) << limit;
    EXPECT_LE(now, before + 1) << limit;
    before = now;
    ASSERT_LT(limit, 1'000'000'000);
  }
  EXPECT_EQ(threads_that_fit(plan, 8, {}).value(), 8u);
}

TEST(Ending, MachineMemoryIsExceededOnlyBeyondTheEstimatesError) {
  const testing::Folder folder;
  const Request asked{.paths = {eight_variants(folder, "5ms")}};
  const auto prepared = prepare(asked);
  ASSERT_TRUE(prepared);
  const Plan plan = make_plan(*prepared, {.threads = 8});
  const std::int64_t one = memory_of(plan, 1).count;
  EXPECT_GT(memory_of(plan, 8).count, one);
  EXPECT_EQ(threads_that_fit(plan, 8, {.available = Bytes{one / 2}}).value(), 1u);
  const auto refused = threads_that_fit(plan, 8, {.available = Bytes{one / 4}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("the machine has"));
}

/// 1,000 datagrams per millisecond and pair.
Request datagrams(const testing::Folder& folder, const std::string& costs) {
  return {.paths = {folder.write(
              "u.yaml",
              "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: u}\nspec:\n"
              "  manifests: [" +
                  testing::manifest("shoot-aws.yaml") + "]\n" + costs +
                  "  traffic: [{name: u, kind: udp, rate: 800Mbit/s, payloadBytes: 100}]\n"
                  "  duration: 20ms\n  warmup: 11ms\n")}};
}

TEST(Ending, EventLimitWithinTheWarmUpIsRefused) {
  const testing::Folder folder;
  Request asked = datagrams(folder, "");
  const auto prepared = prepare(asked);
  ASSERT_TRUE(prepared);
  asked.max_events = 19'000;
  const auto refused = run(*prepared, asked);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Failure::Kind::TooLarge);
  EXPECT_EQ(refused.error().findings.at(0).rule, "event-limit");
  EXPECT_THAT(refused.error().findings.at(0).message, HasSubstr("would take 20000 events or more"));
  asked.max_events = 21'000;
  EXPECT_EQ(testing::run_or_fail(asked).variants.at(0).ending, model::Ending::EventLimit);
  // A core delays its sender by an unknown time, so the program does not refuse the run.
  asked = datagrams(folder, "  costProfile: linux-server\n");
  asked.max_events = 16'000;
  EXPECT_EQ(testing::run_or_fail(asked).variants.at(0).ending, model::Ending::EventLimit);
}

TEST(Ending, ForecastIsCloseToThePacketsSent) {
  const testing::Folder folder;
  Request asked = datagrams(folder, "");
  double forecast_packets = 0;
  asked.steering.forecast = [&](const Forecast& forecast) { forecast_packets = forecast.packets; };
  const model::RunReport report = testing::run_or_fail(asked);
  const auto sent = static_cast<double>(report.variants.at(0).traffic.at(0).packets.sent);
  EXPECT_NEAR(forecast_packets / sent, 1, 0.1) << "but for the start";
}

}  // namespace ending_test
}  // namespace overlane::runner
