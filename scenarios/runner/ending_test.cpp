#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/model/run_report_json.h"
#include "scenarios/runner/progress.h"
#include "scenarios/runner/runner.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace {

using model::Ending;
using model::VariantStatus;
using ::testing::HasSubstr;

/// Eight variants that are all alike, each with a stream and then datagrams.
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

TEST(Ending, WhatWasDoneIsCompleteAndTheRestSaysWhyItIsNot) {
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
    const auto variant = std::ranges::find(report.variants, row.variant, &model::Variant::name);
    EXPECT_EQ(variant->status, VariantStatus::Ok) << "only complete figures are compared";
  }
  asked.steering = {};
  const model::RunReport whole = testing::run_or_fail(asked);
  EXPECT_EQ(report.variants[0].traffic[0].packets, whole.variants[0].traffic[0].packets);
}

TEST(Ending, AScenarioThatWasStoppedBeforeItBeganHasNotRun) {
  const testing::Folder folder;
  const std::atomic<bool> stop = true;
  Request asked{.paths = {eight_variants(folder, "5ms")}};
  asked.steering.stop = &stop;
  const model::RunReport report = testing::run_or_fail(asked);
  for (const model::Variant& variant : report.variants)
    EXPECT_EQ(variant.status, VariantStatus::NotRun);
  EXPECT_TRUE(report.comparison.empty());
}

}  // namespace
}  // namespace overlane::runner
