#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/base/testing/source_file.h"
#include "results/model/run_report_json.h"
#include "scenarios/runner/conclude/gather.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace repetitions_test {

using model::TrafficResult;
using ::testing::HasSubstr;

/// Two variants with a stream and then requests. The runs are so short that not all repetitions are
/// equal.
Request request(const testing::Folder& folder, const std::string& more = "") {
  return {.paths = {folder.write(
              "s.yaml",
              testing::scenario_of("shoot-aws.yaml") +
                  "  concurrent: false\n  traffic:\n  - {name: bulk, kind: tcp}\n"
                  "  - {name: ask, kind: request-response, requestBytes: 100, responseBytes: 200}\n"
                  "  duration: 4ms\n  startSpread: 2ms\n  variants:\n"
                  "  - {name: routed, networkConfig: {overlay: {enabled: false}}}\n"
                  "  - {name: ipip, networkConfig: {overlay: {enabled: true}}}\n" +
                  more)}};
}

TEST(Repetitions, EqualRunsWithTheReportedSeeds) {
  const testing::Folder folder;
  Request asked = request(folder, "  repetitions: 3\n");
  const model::RunReport all = testing::run_or_fail(asked);
  ASSERT_EQ(all.seeds.size(), 3u);
  EXPECT_EQ(all.seeds.front(), all.seed);
  asked.repetitions = 1;
  std::int64_t sent = 0;
  std::int64_t samples = 0;
  std::vector<std::int64_t> goodput;
  for (const std::uint64_t seed : all.seeds) {
    asked.seed = seed;
    const model::RunReport one = testing::run_or_fail(asked);
    const TrafficResult& traffic = one.variants[1].traffic[0];
    EXPECT_TRUE(traffic.repeated.empty());
    goodput.push_back(traffic.goodput_bps);
    sent += traffic.packets.sent;
    samples += traffic.latency_ns.count();
  }
  const TrafficResult& pooled = all.variants[1].traffic[0];
  ASSERT_EQ(pooled.repeated.at(1).metric, "goodput_bps");
  EXPECT_EQ(pooled.repeated[1].values, goodput);
  EXPECT_NE(goodput[0], goodput[1]) << "another seed, another result";
  EXPECT_EQ(pooled.goodput_bps, std::accumulate(goodput.begin(), goodput.end(), 0ll) / 3);
  EXPECT_EQ(pooled.packets.sent, sent);
  EXPECT_TRUE(pooled.packets.balanced());
  EXPECT_EQ(pooled.latency_ns.count(), samples);
}

TEST(Repetitions, AreComparedSeedBySeed) {
  const testing::Folder folder;
  Request asked = request(folder);
  asked.repetitions = 4;
  const model::RunReport report = testing::run_or_fail(asked);
  ASSERT_FALSE(report.comparison.empty());
  const model::Comparison& row = report.comparison.at(1);
  ASSERT_EQ(row.metric, "goodput_bps");
  const auto& baseline = report.variants[0].traffic[0].repeated.at(1).values;
  const auto& values = report.variants[1].traffic[0].repeated.at(1).values;
  ASSERT_EQ(row.repeated_ppm.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(row.repeated_ppm[i], values[i] * 1'000'000 / baseline[i]);
}

TEST(Repetitions, DoNotDependOnTheThreadCount) {
  const testing::Folder folder;
  Request asked = request(folder);
  asked.repetitions = 5;
  asked.threads = 1;
  const model::RunReport once = testing::run_or_fail(asked);
  asked.threads = 3;
  const model::RunReport again = testing::run_or_fail(asked);
  EXPECT_EQ(model::result_hash(once), model::result_hash(again));
  EXPECT_EQ(once.seeds, again.seeds);
}

TEST(Library, EveryScenarioIsIndependentOfTheThreadCount) {
  for (const char* name :
       {"default-calico", "default-cilium", "overlay-vs-routed", "goodput-mtu1500",
        "cilium-goodput-mtu1500", "services", "short-flows"}) {
    Request asked{.paths = {source_file("scenarios/library/") + std::string(name) + ".yaml"}};
    const auto report = [&](std::uint32_t threads) {
      asked.threads = threads;
      auto json = model::encode(testing::run_or_fail(asked));
      for (auto& variant : json["variants"]) {
        if (!variant["engine"].is_null()) {
          variant["engine"].erase("setup_seconds");
          variant["engine"].erase("loop_seconds");
        }
      }
      return json;
    };
    EXPECT_EQ(report(1), report(2)) << name;
  }
}

TEST(Repetitions, FiguresIgnoreRepetitionsThatDidNotRun) {
  const testing::Folder folder;
  const auto prepared = prepare(request(folder));
  ASSERT_TRUE(prepared);
  const Plan plan = make_plan(*prepared, {.repetitions = 3});
  Measurements measured = carry_out(plan, 1, {});
  ASSERT_EQ(plan.runs[3].repetition, 1u);
  const std::int64_t sent = (*measured[0])->traffic[0].packets.sent;
  for (std::size_t i = 3; i < measured.size(); ++i)
    measured[i].reset();  // The second round of the second repetition, and everything after it.
  const auto variants = gather(plan, measured);
  ASSERT_TRUE(variants);
  const model::VariantResult& cut = variants->at(0);
  EXPECT_EQ(cut.status, model::VariantStatus::Partial);
  EXPECT_THAT(cut.reason, HasSubstr("1 of 3 repetitions are complete"));
  ASSERT_EQ(cut.traffic.size(), 2u);
  EXPECT_EQ(cut.traffic[0].packets.sent, sent);
  EXPECT_EQ(variants->at(1).status, model::VariantStatus::NotRun);
}

}  // namespace repetitions_test
}  // namespace overlane::runner
