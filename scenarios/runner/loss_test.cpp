#include <cmath>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/model/run_report_json.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace loss_test {

using testing::Folder;
using ::testing::HasSubstr;

Request request(const Folder& folder, const std::string& more,
                const std::string& shoot = "nodes: 2, machine: {cores: 4, nic: 10Gbit/s}") {
  folder.write("topology.yaml",
               "apiVersion: overlane.dev/v1alpha1\nkind: Topology\nmetadata: {name: t}\nspec:\n"
               "  vpcs: [{name: v, zones: [z], mtu: 1500, latency: {withinZone: 1ms}}]\n"
               "  shoots: [{manifest: " +
                   testing::manifest("shoot-aws.yaml") + ", " + shoot + "}]\n");
  return {.paths = {folder.write(
              "s.yaml",
              "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n"
              "  topology: topology.yaml\n" +
                  more)}};
}

/// A TCP stream with a mean window of W segments sends W segments per round trip. With independent
/// loss of probability p, Reno's mean window is 1.3098 / √p (Ott, Kemperman and Mathis 1996;
/// √(3/2p) for equal cycles, Mathis et al. 1997), and CUBIC's is the same on such a short path (RFC
/// 9438, section 4.3). A cycle of W / 2 round trips takes up to three more round trips, which the
/// law omits: one to repair the loss, and two until the acknowledgements of a whole window are
/// counted. Lost acknowledgements have little effect, because acknowledgements are cumulative.
TEST(Loss, StreamHasTheGoodputOfTheSquareRootLaw) {
  constexpr double kLoss = 0.001;
  const Folder folder;
  const model::RunReport report =
      testing::run_or_fail(request(folder,
                                   "  traffic: [{name: a, kind: tcp, flows: 4}]\n"
                                   "  loss: {ratio: 0.1%}\n  duration: 4s\n  warmup: 400ms\n"));
  const model::VariantResult& variant = report.variants.at(0);
  const model::TrafficResult& traffic = variant.traffic.at(0);
  const double round_trip = static_cast<double>(traffic.latency_ns.mean()) / 1e9;
  const double segment = 8.0 * static_cast<double>(variant.dataplane->pod_mtu - 52);
  const double window = static_cast<double>(traffic.goodput_bps) / 4 * round_trip / segment;
  const double expected = 1.3098 / std::sqrt(kLoss);
  const double round_trips = expected / 2;
  EXPECT_LT(window, expected * 1.08);
  EXPECT_GT(window, expected * round_trips / (round_trips + 3) * 0.92);
  EXPECT_EQ(variant.limits.at(0).constant, "reduced by losses");
  EXPECT_NEAR(static_cast<double>(traffic.drops[Drop::RandomLoss]),
              static_cast<double>(traffic.packets.sent) * kLoss,
              5 * std::sqrt(static_cast<double>(traffic.packets.sent) * kLoss));
}

/// A report names the algorithm that the traffic chose as the source of a congestion window.
TEST(Loss, CongestionControlIsTheOneOfTheTraffic) {
  const Folder folder;
  const model::RunReport report =
      testing::run_or_fail(request(folder,
                                   "  traffic:\n  - {name: default, kind: tcp}\n"
                                   "  - {name: cubic, kind: tcp, congestionControl: cubic}\n"
                                   "  - {name: reno, kind: tcp, congestionControl: reno}\n"
                                   "  loss: {ratio: 0.5%}\n  duration: 2s\n  warmup: 400ms\n"));
  std::map<std::string, std::string> sources;
  for (const model::Limit& limit : report.variants.at(0).limits)
    sources[limit.traffic] = limit.source;
  EXPECT_EQ(sources["default"], "CUBIC, RFC 9438");
  EXPECT_EQ(sources["cubic"], "CUBIC, RFC 9438");
  EXPECT_EQ(sources["reno"], "NewReno, RFC 5681");
}

TEST(Loss, AppliesToTheVariantThatSetsIt) {
  const Folder folder;
  Request asked = request(folder,
                          "  traffic: [{name: a, kind: udp, rate: 100Mbit/s, payloadBytes: 1000}]\n"
                          "  loss: {ratio: 100%}\n  duration: 20ms\n  baseline: all-arrives\n"
                          "  variants:\n"
                          "  - {name: nothing-arrives}\n"
                          "  - {name: all-arrives, loss: {ratio: 0%}}\n"
                          "  - {name: bursts, loss: {ratio: 20%, meanBurst: 5}}\n");
  asked.threads = 1;
  asked.why = Why::Goodput;
  const model::RunReport report = testing::run_or_fail(asked);
  const auto dropped = [&](std::size_t variant) {
    return report.variants.at(variant).traffic.at(0).drops[Drop::RandomLoss];
  };
  const std::int64_t sent = report.variants[0].traffic[0].packets.sent;
  EXPECT_EQ(dropped(0), sent);
  EXPECT_EQ(report.variants[0].traffic[0].goodput_bps, 0);
  EXPECT_EQ(dropped(1), 0);
  EXPECT_GT(dropped(2), 0);
  EXPECT_LT(dropped(2), sent);
  const model::Limit& limit = report.variants[0].limits.at(0);
  EXPECT_EQ(limit.station, "drop random-loss");
  ASSERT_EQ(limit.movements.size(), 1u);
  EXPECT_EQ(limit.movements[0].constant, "loss");
  EXPECT_EQ(limit.movements[0].value, "100 %");
  EXPECT_EQ(limit.movements[0].moved_to, "90 %");
  EXPECT_EQ(limit.movements[0].source, "the scenario");
  EXPECT_GT(limit.movements[0].after, 0);
  for (const model::Comparison& row : report.comparison) {
    const bool is_latency = row.metric.starts_with("latency");
    if (row.variant != "nothing-arrives") continue;
    EXPECT_EQ(row.ratio_ppm, is_latency ? std::nullopt : std::optional(0)) << row.metric;
  }
  asked.threads = 2;
  EXPECT_EQ(result_hash(testing::run_or_fail(asked)), result_hash(report));
}

TEST(Loss, IsRefusedWithoutAFabric) {
  const Folder folder;
  const auto refused = prepare(request(
      folder, "  traffic: [{name: a, kind: tcp}]\n  loss: {ratio: 1%}\n", "nodes: 2, wire: veth"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().findings.at(0).message, HasSubstr("veth pairs join these nodes"));
}

}  // namespace loss_test
}  // namespace overlane::runner
