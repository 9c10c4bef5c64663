#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/library/library.h"
#include "scenarios/runner/plan/variant.h"
#include "scenarios/runner/runner.h"
#include "scenarios/runner/testing/scenario_files.h"
#include "topologies/cni/profiles.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::runner {

namespace default_comparison_test {

using testing::Folder;
using ::testing::HasSubstr;
using testing::run_or_fail;

double ratio(const model::RunReport& report, const std::string& traffic, const std::string& variant,
             const std::string& metric) {
  for (const model::Comparison& row : report.comparison)
    if (row.traffic == traffic && row.variant == variant && row.metric == metric)
      return static_cast<double>(row.ratio_ppm.value_or(0)) / 1e6;
  ADD_FAILURE() << "no " << metric << " of " << traffic << " in " << variant;
  return 0;
}

const model::TrafficResult& result(const model::RunReport& report, const std::string& variant,
                                   const std::string& traffic) {
  const auto of = std::ranges::find(report.variants, variant, &model::VariantResult::name);
  return *std::ranges::find(of->traffic, traffic, &model::TrafficResult::name);
}

/// IP in IP has no ports. So the single-flow cap of AWS (5 Gbit/s) treats all flows between two
/// nodes as one, and the NIC of the receiver sends them all to one core.
TEST(DefaultComparison, ShowsWhatIpipCostsManyFlows) {
  const model::RunReport report = run_or_fail({.paths = {testing::manifest("shoot-aws.yaml")}});
  const std::string goodput = "goodput_bps";
  EXPECT_NEAR(ratio(report, "bulk", "ipip", goodput), 0.998, 0.005) << "one flow hides it";
  EXPECT_NEAR(ratio(report, "many-flows", "ipip", goodput), 0.50, 0.01);
  EXPECT_NEAR(ratio(report, "many-flows", "vxlan", goodput), 0.99, 0.01);
  EXPECT_NEAR(ratio(report, "incast", "vxlan", goodput), 0.99, 0.02);
  EXPECT_LT(ratio(report, "connections", "ipip", "connections_per_second"), 0.85);
  EXPECT_LT(ratio(report, "connections", "ipip", "connections_per_second"),
            ratio(report, "connections", "vxlan", "connections_per_second"));
  EXPECT_LT(ratio(report, "small-datagrams", "vxlan", goodput),
            ratio(report, "small-datagrams", "ipip", goodput))
      << "the order of the variants depends on the traffic";
}

TEST(DefaultComparison, CountsNewConnections) {
  const model::RunReport report = run_or_fail({.paths = {testing::manifest("shoot-aws.yaml")}});
  const model::TrafficResult& connections = result(report, "routed", "connections");
  ASSERT_TRUE(connections.connections_per_second);
  EXPECT_EQ(*connections.connections_per_second, connections.transactions * 1000 / 60)
      << "in the 60 ms after the warm-up";
  EXPECT_FALSE(result(report, "routed", "requests").connections_per_second)
      << "these keep their connection";
}

TEST(DefaultComparison, CountsConnectionsOnlyWhereNothingElseSetsTheirNumber) {
  const Folder folder;
  const model::RunReport report = run_or_fail(
      {.paths = {folder.write("s.yaml",
                              testing::scenario_of("shoot-aws.yaml") +
                                  "  duration: 20ms\n  warmup: 5ms\n  repetitions: 2\n  traffic:\n"
                                  "  - {name: fast, kind: request-response, connections: "
                                  "per-request, requestBytes: 100, responseBytes: 100}\n"
                                  "  - {name: slow, kind: request-response, connections: "
                                  "per-request, requestBytes: 100, responseBytes: 100, thinkTime: "
                                  "1ms}\n")}});
  const auto& traffic = report.variants.at(0).traffic;
  ASSERT_TRUE(traffic.at(0).connections_per_second);
  EXPECT_NEAR(static_cast<double>(*traffic.at(0).connections_per_second),
              static_cast<double>(traffic.at(0).transactions) / 2 / 0.015, 2)
      << "the mean of two repetitions";
  EXPECT_FALSE(traffic.at(1).connections_per_second);
}

/// The patch of the variant removes the vxlan block because of which the shoot's own pods do not
/// reach other nodes.
TEST(DefaultComparison, SaysThatItsVariantIsNotTheShootAsWritten) {
  const Folder folder;
  const manifest::testing::ShootText shoot{
      .config = "{overlay: {enabled: false}, vxlan: {enabled: true}}"};
  const auto prepared = prepare({.paths = {folder.write("shoot.yaml", shoot.yaml())}});
  ASSERT_TRUE(prepared);
  const auto& variants = prepared->scenario.variants;
  EXPECT_THAT(lay_out(*prepared, variants.at(0)).variant.reason,
              HasSubstr("is not the shoot as written, where vxlan.enabled selects calico-ipam"));
  EXPECT_EQ(lay_out(*prepared, variants.at(1)).variant.reason, "");
  EXPECT_TRUE(std::ranges::any_of(prepared->subject.findings, [](const Finding& finding) {
    return finding.rule == "vxlan-left-over";
  }));
}

/// The patch does not change calico-ipam.
TEST(DefaultComparison, HasNoRoutedVariantWhereNoRouteCoversThePods) {
  const Folder folder;
  const manifest::testing::ShootText shoot{
      .config = "{overlay: {enabled: false}, ipam: {type: calico-ipam}}"};
  const auto prepared = prepare({.paths = {folder.write("shoot.yaml", shoot.yaml())}});
  ASSERT_TRUE(prepared);
  const model::VariantResult routed = lay_out(*prepared, prepared->scenario.variants.at(0)).variant;
  EXPECT_EQ(routed.status, model::VariantStatus::NotDeliverable);
  EXPECT_THAT(routed.reason, HasSubstr("calico-ipam-without-overlay"));
}

/// The shoot as written and one of the variants have no states.
TEST(Run, AnUnsupportedVariantLeavesTheOthers) {
  const Folder folder;
  std::string shoot = R"(apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: sealed, namespace: garden-dev}
spec:
  provider: {type: gcp, workers: [{name: w, minimum: 2, maximum: 2, zones: [z]}]}
  networking:
    type: cilium
    pods: 10.0.0.0/16
    services: 10.1.0.0/16
    nodes: 10.2.0.0/16
    providerConfig:
      apiVersion: cilium.networking.extensions.gardener.cloud/v1alpha1
      kind: NetworkConfig
      encryption: {enabled: true, mode: wireguard}
      overlay: {enabled: true}
)";
  const model::RunReport report = run_or_fail({.paths = {folder.write("sealed.yaml", shoot)}});
  ASSERT_EQ(report.variants.size(), 3u);
  EXPECT_EQ(report.variants[0].name, "native");
  EXPECT_EQ(report.variants[0].status, model::VariantStatus::Ok);
  EXPECT_EQ(report.variants[1].status, model::VariantStatus::Unsupported);
  EXPECT_THAT(report.variants[1].reason, HasSubstr("a tunnel in a tunnel is not simulated"));
  // If no variant can run, there is no report.
  const Request alone{
      .paths = {folder.write("s.yaml",
                             "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\n"
                             "metadata: {name: s}\nspec:\n  manifests: [sealed.yaml]\n"
                             "  variants:\n"
                             "  - {name: geneve, networkConfig: {tunnel: geneve}}\n"
                             "  traffic: [{name: bulk, kind: tcp}]\n")}};
  const auto prepared = prepare(alone);
  ASSERT_TRUE(prepared);
  const auto refused = run(*prepared, alone);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Failure::Kind::Input);
  EXPECT_EQ(refused.error().findings.at(0).rule, "unsupported-encryption");
}

/// Throughput is the figure that the page and the terminal draw over time. The goodput of an
/// interval may exceed the NIC's rate, because an application reads all data that waited behind a
/// lost segment at once.
TEST(Series, TheThroughputOfAnIntervalDoesNotExceedTheNic) {
  const testing::Folder folder;
  Request asked{.paths = {folder.write(
                    "s.yaml",
                    "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\n"
                    "spec:\n  manifests: [" +
                        testing::manifest("shoot-aws.yaml") +
                        "]\n  loss: {ratio: 0.2%}\n  traffic:\n"
                        "  - {name: many-flows, kind: tcp, flows: 8}\n"
                        "  - {name: incast, kind: tcp, pattern: incast}\n")}};
  asked.series = SeriesRequest{};
  const model::RunReport report = run_or_fail(asked);
  constexpr std::int64_t kNic = 10'000'000'000;
  bool any_burst = false;
  for (const model::VariantResult& variant : report.variants)
    for (const model::Series& series : variant.series)
      for (const model::TrafficSeries& traffic : series.traffic) {
        any_burst |= std::ranges::max(traffic.goodput_bps) > kNic + kNic / 10;
        const auto mean = std::reduce(traffic.throughput_bps.begin(), traffic.throughput_bps.end(),
                                      std::int64_t{0}) /
                          std::ssize(traffic.throughput_bps);
        EXPECT_LE(mean, kNic) << variant.name << ' ' << traffic.name;
        // Many senders keep the ring of the receiver full. Its 1,024 packets of 9,001 bytes take 7
        // ms at the NIC's rate, and the application may read them in one interval.
        if (traffic.name == "incast") continue;
        EXPECT_LE(std::ranges::max(traffic.throughput_bps), kNic + kNic / 10)
            << variant.name << ' ' << traffic.name;
      }
  EXPECT_TRUE(any_burst) << "otherwise the test shows nothing";
}

}  // namespace default_comparison_test

namespace cni_defaults_test {

/// Every comparison needs a list of manifests, which prepare() replaces.
TEST(CniDefaults, EveryCniHasAComparisonWithManifests) {
  for (const cni::Profile* profile : cni::profiles()) {
    const auto text = library::find(profile->run.scenario);
    ASSERT_TRUE(text) << profile->type();
    EXPECT_NE(text->find("\n  manifests:\n  - "), std::string_view::npos) << profile->type();
  }
}

}  // namespace cni_defaults_test

}  // namespace overlane::runner
