#include "scenarios/runner/conclude/sensitivity.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/model/run_report_json.h"
#include "scenarios/library/library.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace why_test {

using model::Limit;
using model::Movement;
using ::testing::StartsWith;

/// A stream limited by the cloud's bandwidth limit, and datagrams limited by a core, routed and
/// through IPIP.
Request request(const testing::Folder& folder) {
  return {.paths = {folder.write(
              "s.yaml",
              testing::scenario_on_ten_gigabit(folder, "shoot-aws.yaml") +
                  "  costProfile: linux-server\n  concurrent: false\n  traffic:\n"
                  "  - {name: bulk, kind: tcp, zones: same}\n"
                  "  - {name: small, kind: udp, zones: same, rate: 200Mbit/s, payloadBytes: 64}\n"
                  "  duration: 40ms\n  warmup: 20ms\n  variants:\n"
                  "  - {name: routed, networkConfig: {overlay: {enabled: false}}}\n"
                  "  - {name: ipip, networkConfig: {overlay: {enabled: true}}}\n")}};
}

double ratio(const Movement& movement) {
  return static_cast<double>(movement.after) / static_cast<double>(movement.before);
}

TEST(Why, ShowsTheEffectAndSourceOfEveryConstantBehindALimit) {
  const testing::Folder folder;
  Request asked = request(folder);
  asked.why = Why::Goodput;
  const model::RunReport report = testing::run_or_fail(asked);
  ASSERT_EQ(report.variants.size(), 2u);
  for (const model::VariantResult& variant : report.variants) {
    const Limit& cap = variant.limits.at(0);
    EXPECT_THAT(cap.station, StartsWith("fabric flow from node-1"));
    ASSERT_EQ(cap.movements.size(), 1u);
    EXPECT_EQ(cap.movements[0].constant, "fabric.single_flow");
    EXPECT_EQ(cap.movements[0].moved_to, "5500 Mbit/s");
    EXPECT_EQ(cap.movements[0].source,
              "Amazon EC2 user guide, instance network bandwidth: 5 Gbit/s for one "
              "flow, 10 in a placement group");
    EXPECT_EQ(cap.movements[0].before, variant.traffic.at(0).goodput_bps);
    EXPECT_NEAR(ratio(cap.movements[0]), 1.1, 0.005);

    const Limit& core = variant.limits.at(1);
    EXPECT_THAT(core.station, StartsWith("cpu node-1 core"));
    ASSERT_GT(core.movements.size(), 5u);
    EXPECT_GT(ratio(core.movements.front()), 1.02) << "the largest stage comes first";
    EXPECT_FALSE(core.movements.front().source.empty());
    for (const Movement& movement : core.movements) {
      // The sender's core is the limit: the receiver's costs have no effect.
      if (movement.constant.ends_with("receive") || movement.constant.starts_with("stage decap")) {
        EXPECT_NEAR(ratio(movement), 1, 0.001) << movement.constant;
      }
      if (movement.constant == "stage encap-ipip") {
        EXPECT_EQ(ratio(movement) > 1.01, variant.name == "ipip");
      }
    }
  }
}

TEST(Why, DoesNotChangeResults) {
  const testing::Folder folder;
  Request asked = request(folder);
  const model::RunReport plain = testing::run_or_fail(asked);
  EXPECT_TRUE(plain.variants[0].limits[0].movements.empty());
  asked.why = Why::Goodput;
  asked.threads = 1;
  const model::RunReport once = testing::run_or_fail(asked);
  asked.threads = 2;
  const model::RunReport twice = testing::run_or_fail(asked);
  EXPECT_EQ(model::result_hash(once), model::result_hash(plain));
  EXPECT_EQ(once.variants[1].limits, twice.variants[1].limits);
}

/// Requests and datagrams below capacity, and a stream limited by the cloud's bandwidth limit.
TEST(Why, ExplainsLatencyAndCpuUseByAllConstantsThatAffectThem) {
  const testing::Folder folder;
  Request asked{
      .paths = {folder.write(
          "s.yaml",
          testing::scenario_on_ten_gigabit(folder, "shoot-aws.yaml") +
              "  costProfile: linux-server\n  concurrent: false\n  traffic:\n"
              "  - {name: asks, kind: request-response, zones: same, requestBytes: 100,\n"
              "     responseBytes: 1000}\n"
              "  - {name: few, kind: udp, zones: same, rate: 10Mbit/s, payloadBytes: 500}\n"
              "  duration: 20ms\n")}};
  const model::RunReport plain = testing::run_or_fail(asked);
  asked.why = Why::All;
  const model::RunReport report = testing::run_or_fail(asked);
  EXPECT_EQ(model::result_hash(report), model::result_hash(plain));
  const std::vector<model::Sensitivity>& explained = report.variants.at(0).explained;
  ASSERT_EQ(explained.size(), 4u);
  for (const std::size_t i : {0u, 2u}) {
    const model::Sensitivity& latency = explained[i];
    EXPECT_EQ(latency.traffic, i == 0 ? "asks" : "few");
    EXPECT_EQ(latency.metric, "latency_ns.p99");
    ASSERT_GT(latency.movements.size(), 5u);
    // The largest part of the latency is 20 µs of the path; 10 % of 20 µs is 2 µs.
    const Movement& most = latency.movements.front();
    EXPECT_EQ(most.constant, "latency.within_zone, latency.across_zones");
    EXPECT_NEAR(static_cast<double>(most.before - most.after), i == 0 ? 4'000 : 2'000, 400);
    for (std::size_t n = 1; n < latency.movements.size(); ++n) {
      EXPECT_NE(latency.movements[n].before, latency.movements[n].after);
      EXPECT_LE(std::abs(latency.movements[n].after - latency.movements[n].before),
                std::abs(latency.movements[n - 1].after - latency.movements[n - 1].before));
    }
    const model::Sensitivity& cpu = explained[i + 1];
    EXPECT_EQ(cpu.metric, "nodes.cpu_utilisation.mean");
    EXPECT_EQ(cpu.traffic, latency.traffic);
    ASSERT_GT(cpu.movements.size(), 5u);
  }
  // More datagrams use more CPU time, cheaper stages less; goodput stays the same.
  const std::vector<Movement>& of_few = explained[3].movements;
  EXPECT_EQ(of_few.front().constant, "traffic few rate");
  EXPECT_GT(of_few.front().after, of_few.front().before);
  EXPECT_THAT(of_few[1].constant, StartsWith("stage "));
  EXPECT_LT(of_few[1].after, of_few[1].before);
}

TEST(Why, StoppingLeavesLimitsUnexplained) {
  const testing::Folder folder;
  Request asked = request(folder);
  const auto prepared = prepare(asked);
  ASSERT_TRUE(prepared);
  const Plan plan = make_plan(*prepared, {});
  const Measurements measured = carry_out(plan, 1, {});
  std::vector<model::VariantResult> variants;
  for (const LaidOut& variant : plan.variants)
    variants.push_back(variant.variant);
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    auto& limits = variants[plan.runs[i].variant].limits;
    limits.insert(limits.end(), (*measured[i])->limits.begin(), (*measured[i])->limits.end());
  }
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(explain(*prepared, plan, measured, Why::Goodput, 1, {.stop = &stop}, variants));
  EXPECT_TRUE(variants[0].limits.at(0).movements.empty());
}

}  // namespace why_test
namespace ranges_test {

using testing::Folder;
using testing::run_or_fail;

/// Datagrams as fast as a core sends them, and a stream that a link limits, in two variants.
std::string scenario(const Folder& folder, const std::string& costs) {
  return folder.write("s.yaml",
                      testing::scenario_of("shoot-aws.yaml") + "  costProfile: " + costs +
                          "\n  concurrent: false\n  duration: 60ms\n  warmup: 30ms\n"
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
  ASSERT_EQ(mean.cost_hosts.size(), 6u);
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
  mean.replace(begin, mean.find(']', begin) - begin, "xeon-10g, no-such-host");
  const auto prepared =
      prepare(request(scenario(folder, folder.write("mean.yaml", mean)), CostRanges::Always));
  ASSERT_FALSE(prepared);
  const Finding& finding = prepared.error().findings.at(0);
  EXPECT_EQ(finding.rule, "unknown-cost-profile");
  EXPECT_EQ(finding.path, "spec.hosts");
}

}  // namespace ranges_test
}  // namespace overlane::runner
