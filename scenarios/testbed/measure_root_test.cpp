#include <fstream>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/base/testing/measured_on_time.h"
#include "results/base/testing/source_file.h"
#include "results/model/run_report_json.h"
#include "scenarios/testbed/kernel_cluster.h"
#include "scenarios/testbed/measure.h"
#include "scenarios/testbed/testing/carried_traffic.h"

namespace overlane::testbed {
namespace measure_root_test {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Matcher;
using ::testing::Ne;
using ::testing::ResultOf;

constexpr const char* kTraffic =
    "  traffic:\n"
    "  - {name: bulk, kind: tcp}\n"
    "  - {name: datagrams, kind: udp, payloadBytes: 200, rate: 8Mbit/s}\n"
    "  - {name: requests, kind: request-response, requestBytes: 64, responseBytes: 64}\n";

/// A scenario of a library's shoot, routed and with VXLAN.
std::string scenario(const std::string& traffic, const std::string& shoot) {
  const std::string file = ::testing::TempDir() + "overlane-measure.yaml";
  std::ofstream(file) << "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\n"
                         "metadata: {name: measured}\nspec:\n"
                         "  manifests: ["
                      << source_file("topologies/library/manifests/") << shoot
                      << "]\n"
                         "  baseline: routed\n  variants:\n"
                         "  - {name: routed, networkConfig: {overlay: {enabled: false}}}\n"
                         "  - {name: vxlan, networkConfig: "
                         "{overlay: {enabled: true}, vxlan: {enabled: true}}}\n"
                         "  duration: 10ms\n  concurrent: false\n"
                      << traffic;
  return file;
}

using Report = runner::Outcome<model::RunReport>;

Report measured(const std::string& traffic, MeasureOptions options = {}, std::uint32_t nodes = 2,
                const std::atomic<bool>* stop = nullptr,
                const std::string& shoot = "shoot-aws.yaml") {
  runner::Request request{.paths = {scenario(traffic, shoot)}, .subject = {.nodes = nodes}};
  request.steering.stop = stop;
  const auto prepared = runner::prepare(request);
  if (!prepared) return fail(prepared.error());
  if (options.predict_with) options.predict_with->costs = prepared->costs.value();
  options.least_slices = options.most_slices = 2;
  options.slice.times = {.warm_up = std::chrono::milliseconds(50),
                         .counted = std::chrono::milliseconds(100)};
  const auto host = ThisHost::open();
  if (!host) throw std::runtime_error(host.error());
  return measure(*prepared, request, options, **host);
}

Matcher<const model::TrafficResult&> stream() {
  return Field(&model::TrafficResult::goodput_bps, Gt(100'000'000));
}

/// A rate in bit/s of the datagrams of kTraffic.
Matcher<std::int64_t> datagram_rate() {
  return within(800'000, 8'000'000);
}

TEST(Measure, TrafficIsCarriedByKernels) {
  const auto right = each_variant_carries(
      ElementsAre(stream(), Field(&model::TrafficResult::goodput_bps, datagram_rate()),
                  Field(&model::TrafficResult::transactions, Gt(100))));
  const Report report = measured_on_time([] { return measured(kTraffic); }, right);
  ASSERT_TRUE(report);
  EXPECT_THAT(report, right);
  EXPECT_EQ(report->executor, model::Executor::Kernel);
  ASSERT_EQ(report->variants.size(), 2u);
  for (const model::VariantResult& variant : report->variants) {
    EXPECT_EQ(variant.status, model::VariantStatus::Ok) << variant.reason;
    ASSERT_TRUE(variant.kernel);
    EXPECT_EQ(variant.kernel->wire, "veth pair");
    EXPECT_EQ(variant.kernel->slices, 2);
    ASSERT_EQ(variant.traffic.size(), 3u);
    EXPECT_GT(variant.traffic[2].latency_ns.quantile(1, 2), 5'000);
    EXPECT_TRUE(variant.traffic[0].cpu);
  }
  EXPECT_FALSE(report->comparison.empty());
  for (const model::Comparison& row : report->comparison)
    EXPECT_EQ(row.repeated_ppm.size(), 2u);
  EXPECT_EQ(model::encode(*report)["result_hash"], nullptr);
  const auto read = model::decode_run_report(model::encode(*report));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(model::encode(*read), model::encode(*report));
}

TEST(Measure, WhatWasMeasuredIsPredicted) {
  const auto report = measured(std::string("  costProfile: namespaces\n") + kTraffic,
                               {.predict_with = spec::CostProfileFile{}});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->cost_profile, "namespaces");
  ASSERT_EQ(report->predictions.size(), 6u);
  for (const model::Prediction& one : report->predictions) {
    EXPECT_EQ(one.metric, one.traffic == "requests" ? "latency_ns.p50" : "goodput_bps");
    EXPECT_GT(one.measured, 0) << one.traffic;
    EXPECT_GT(one.predicted, 0) << one.traffic;
    if (one.traffic == "datagrams") {
      EXPECT_THAT(one.predicted, datagram_rate());
    }
  }
  EXPECT_EQ(model::decode_run_report(model::encode(*report))->predictions, report->predictions);
}

TEST(Measure, Iperf3MeasuresTheSameIfItIsInstalled) {
  const auto right = ResultOf(
      [](const Report& report) {
        return report ? report->cross_checks : std::vector<model::CrossCheck>{};
      },
      Each(AnyOf(Field(&model::CrossCheck::metric, Ne("goodput_bps")),
                 Field(&model::CrossCheck::value, Gt(100'000'000)))));
  const Report report =
      measured_on_time([] { return measured(kTraffic, {.is_cross_checked = true}); }, right);
  ASSERT_TRUE(report);
  EXPECT_THAT(report, right);
  std::string notes;
  for (const Finding& finding : report->findings)
    if (finding.rule == "not-cross-checked") notes += finding.message + "\n";
  EXPECT_THAT(notes, HasSubstr("datagrams: neither iperf3 nor sockperf"));
  if (notes.find("iperf3 is not installed") != std::string::npos) return;
  std::size_t streams = 0;
  for (const model::CrossCheck& check : report->cross_checks) {
    if (check.metric != "goodput_bps") continue;
    ++streams;
    EXPECT_TRUE(check.program.starts_with("iperf3 ")) << check.program;
  }
  EXPECT_EQ(streams, 2u) << "one of each variant; " << notes;
  EXPECT_EQ(model::decode_run_report(model::encode(*report))->cross_checks, report->cross_checks);
}

TEST(Measure, ThreeNodesAreJoinedByAKernel) {
  const auto right = each_variant_carries(ElementsAre(stream()));
  const Report report = measured_on_time(
      [] { return measured("  traffic:\n  - {name: ring, kind: tcp, pattern: ring}\n", {}, 3); },
      right);
  ASSERT_TRUE(report);
  EXPECT_THAT(report, right);
  for (const model::VariantResult& variant : report->variants) {
    EXPECT_EQ(variant.status, model::VariantStatus::Ok) << variant.reason;
    EXPECT_EQ(variant.kernel->wire, "bridges");
  }
}

TEST(Measure, ForItsNoiseTheBaselineIsMeasuredTwice) {
  const auto report = measured("  traffic:\n  - {name: requests, kind: request-response}\n",
                               {.is_noise_measured = true});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->variants.size(), 3u);
  EXPECT_EQ(report->variants[1].name, "routed again");
}

TEST(Measure, WhatIsNotMeasuredIsNamed) {
  const auto report = measured(
      "  traffic:\n  - {name: files, kind: tcp, transferBytes: 1000000}\n"
      "  - {name: requests, kind: request-response}\n");
  ASSERT_TRUE(report);
  EXPECT_THAT(report->findings,
              Contains(Field(&Finding::message, HasSubstr("files: transfers of a set size"))));
  EXPECT_EQ(report->variants[0].traffic.size(), 1u);
}

TEST(Measure, PodsWithIpv6AloneReachEachOther) {
  const auto right = each_variant_carries(ElementsAre(stream()));
  const Report report = measured_on_time(
      [] {
        return measured("  traffic:\n  - {name: bulk, kind: tcp}\n", {}, 2, nullptr,
                        "shoot-aws-ipv6.yaml");
      },
      right);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->variants.at(0).status, model::VariantStatus::Ok) << report->variants[0].reason;
  EXPECT_THAT(report, right);
}

TEST(Measure, WhatEbpfCarriesIsUnsupported) {
  const auto report =
      measured("  traffic:\n  - {name: bulk, kind: tcp}\n", {}, 2, nullptr, "shoot-aws-ebpf.yaml");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->variants.at(0).status, model::VariantStatus::Unsupported);
  EXPECT_THAT(report->variants.at(0).reason, HasSubstr("eBPF"));
}

TEST(Measure, AnInterruptedMeasurementIsPartial) {
  const std::atomic<bool> stop{true};
  const auto report = measured(kTraffic, {}, 2, &stop);
  ASSERT_TRUE(report);
  EXPECT_EQ(model::ending_of(*report), model::Ending::Interrupted);
  EXPECT_EQ(report->variants[0].status, model::VariantStatus::NotRun);
}

}  // namespace measure_root_test
}  // namespace overlane::testbed
