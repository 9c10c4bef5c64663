#include "scenarios/runner/conclude/ranges.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "results/model/run_report_json.h"
#include "scenarios/library/library.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace ranges_test {

using testing::Folder;
using testing::run_or_fail;

/// Datagrams as fast as a core sends them, and a stream that a link limits, in two variants.
std::string scenario(const Folder& folder, const std::string& costs) {
  return folder.write("s.yaml",
                      testing::scenario_of("shoot-aws.yaml") + "  costProfile: " + costs +
                          "\n  concurrent: false\n  duration: 20ms\n  warmup: 5ms\n"
                          "  baseline: routed\n"
                          "  variants:\n"
                          "  - {name: routed, networkConfig: {overlay: {enabled: false}}}\n"
                          "  - {name: ipip, networkConfig: {overlay: {enabled: true}}}\n"
                          "  traffic:\n"
                          "  - {name: bulk, kind: tcp}\n"
                          "  - {name: small, kind: udp, payloadBytes: 64, rate: 153Mbit/s}\n");
}

Request request(const std::string& path, CostRanges ranges) {
  Request asked{.paths = {path}};
  asked.threads = 1;
  asked.ranges = ranges;
  return asked;
}

const model::Comparison& goodput(const model::RunReport& report, const std::string& traffic) {
  return *std::ranges::find_if(report.comparison, [&](const model::Comparison& one) {
    return one.traffic == traffic && one.metric == "goodput_bps";
  });
}

TEST(Ranges, AreThoseOfTheHostsBehindAMeanProfile) {
  const Folder folder;
  const model::RunReport mean =
      run_or_fail(request(scenario(folder, "linux-server"), CostRanges::Always));
  ASSERT_EQ(mean.cost_hosts.size(), 4u);
  std::int64_t low = *goodput(mean, "small").ratio_ppm;
  std::int64_t high = low;
  for (const std::string& host : mean.cost_hosts) {
    const model::RunReport alone = run_or_fail(request(scenario(folder, host), CostRanges::Always));
    EXPECT_TRUE(alone.cost_hosts.empty()) << "one host's costs are calibrated";
    EXPECT_FALSE(goodput(alone, "small").range);
    low = std::min(low, *goodput(alone, "small").ratio_ppm);
    high = std::max(high, *goodput(alone, "small").ratio_ppm);
  }
  EXPECT_EQ(goodput(mean, "small").range, (model::RatioRange{low, high}));
  EXPECT_LT(low + 50'000, high) << "these hosts differ";
  ASSERT_TRUE(goodput(mean, "bulk").range);
  EXPECT_LT(goodput(mean, "bulk").range->high_ppm - goodput(mean, "bulk").range->low_ppm, 5'000)
      << "the cloud's cap limits it on every host";
}

TEST(Ranges, ChangeNoResult) {
  const Folder folder;
  const std::string path = scenario(folder, "linux-server");
  const model::RunReport plain = run_or_fail(request(path, CostRanges::None));
  EXPECT_TRUE(plain.cost_hosts.empty());
  Request asked = request(path, CostRanges::IfShort);
  asked.threads = 3;
  const model::RunReport ranged = run_or_fail(asked);
  EXPECT_FALSE(ranged.cost_hosts.empty());
  EXPECT_EQ(model::result_hash(ranged), model::result_hash(plain));
  EXPECT_EQ(goodput(ranged, "small").range,
            goodput(run_or_fail(request(path, CostRanges::Always)), "small").range);
}

TEST(Ranges, OfARunOfMinutesTakeTooLong) {
  const Folder folder;
  std::string text = testing::scenario_of("shoot-aws.yaml") +
                     "  costProfile: linux-server\n  duration: 100s\n  baseline: routed\n"
                     "  variants:\n"
                     "  - {name: routed, networkConfig: {overlay: {enabled: false}}}\n"
                     "  - {name: ipip, networkConfig: {overlay: {enabled: true}}}\n"
                     "  traffic:\n"
                     "  - {name: small, kind: udp, payloadBytes: 64, rate: 153Mbit/s}\n";
  const Request asked = request(folder.write("long.yaml", text), CostRanges::IfShort);
  const auto prepared = prepare(asked);
  ASSERT_TRUE(prepared);
  const Plan plan = make_plan(*prepared, {});
  EXPECT_GT(packets_of_ranges(*prepared, plan), kMaxPacketsOfShortRanges);
}

TEST(Ranges, AMeanOfUnknownHostsIsRefused) {
  const Folder folder;
  std::string mean(*library::find("linux-server.yaml"));
  const std::size_t begin = mean.find("  hosts: [") + 10;
  mean.replace(begin, mean.find(']', begin) - begin, "xeon-10g, nobody");
  const auto prepared =
      prepare(request(scenario(folder, folder.write("mean.yaml", mean)), CostRanges::Always));
  ASSERT_FALSE(prepared);
  const Finding& finding = prepared.error().findings.at(0);
  EXPECT_EQ(finding.rule, "unknown-cost-profile");
  EXPECT_EQ(finding.path, "spec.hosts");
}

}  // namespace ranges_test
}  // namespace overlane::runner
