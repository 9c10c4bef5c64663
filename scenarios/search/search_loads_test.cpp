#include "scenarios/search/search_loads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::search {
namespace search_loads_test {

using runner::Failure;
using ::testing::HasSubstr;

constexpr const char* kVariants =
    "  baseline: routed\n  variants:\n"
    "  - {name: routed, networkConfig: {overlay: {enabled: false}}}\n"
    "  - {name: ipip, networkConfig: {overlay: {enabled: true}}}\n";

/// Datagrams of 1,000 bytes between two nodes with NICs of 1 Gbit/s, CPU time free.
constexpr const char* kWire =
    "  topology: t.yaml\n"
    "  traffic:\n"
    "  - {name: stream, kind: udp, payloadBytes: 1000, rate: 10Mbit/s}\n";

runner::Outcome<LoadReport> searched(const std::string& spec, LoadRequest asked = {},
                                     std::uint32_t threads = 1) {
  const runner::testing::Folder folder;
  folder.write("t.yaml",
               "apiVersion: overlane.dev/v1alpha1\nkind: Topology\nmetadata: {name: t}\n"
               "spec:\n  vpcs: [{name: v, zones: [z], mtu: 1500, latency: {withinZone: 20us}}]\n"
               "  shoots:\n  - {manifest: " +
                   runner::testing::manifest("shoot-aws.yaml") +
                   ", vpc: v, nodes: 3, machine: {cores: 4, nic: 1Gbit/s}}\n");
  const std::string file = folder.write(
      "s.yaml",
      "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n" + spec);
  const runner::Request request{.paths = {file}, .threads = threads};
  const auto prepared = runner::prepare(request);
  if (!prepared) return fail(prepared.error());
  return search_loads(*prepared, request, asked);
}

double found(const LoadReport& report, std::size_t variant, std::size_t goal = 0) {
  const load_search::GoalResult& result = report.variants.at(variant).found.value().goals.at(goal);
  EXPECT_EQ(result.ending, load_search::Ending::Regular);
  return result.conditional_throughput.value_or(0);
}

TEST(SearchLoads, FindsTheRateOfTheWire) {
  const auto report = searched(std::string(kWire) + kVariants);
  ASSERT_TRUE(report) << report.error().findings.at(0).to_string();
  // Payload, UDP 8, IPv4 20, Ethernet with preamble, FCS and gap 38; IPIP adds 20. What queues may
  // take in 50 ms is 0.5 %, as is the distance of the bounds.
  const double routed = 1e9 / 8 / 1066;
  const double ipip = 1e9 / 8 / 1086;
  EXPECT_NEAR(found(*report, 0), routed, routed * 0.006);
  EXPECT_NEAR(found(*report, 1), ipip, ipip * 0.006);
  EXPECT_NEAR(static_cast<double>(report->ratio_ppm(report->variants[1], 0).value()) / 1e6,
              1066.0 / 1086, 0.006);
  EXPECT_GE(found(*report, 0, 1), found(*report, 0, 0));
  EXPECT_EQ(report->payload_bps(1000), 8'000'000);
  EXPECT_LE(report->variants[0].found->trial_count(), 80u);
}

TEST(SearchLoads, SendersThatShareAReceiverLoseWhatItsLinkDoesNotCarry) {
  const auto report = searched(
      "  topology: t.yaml\n"
      "  traffic:\n"
      "  - {name: stream, kind: udp, pattern: incast, payloadBytes: 1000, rate: 10Mbit/s}\n");
  ASSERT_TRUE(report) << report.error().findings.at(0).to_string();
  EXPECT_EQ(report->flows, 2);
  const double wire = 1e9 / 8 / 1066;
  EXPECT_NEAR(found(*report, 0), wire, wire * 0.006);
}

TEST(SearchLoads, DependsOnTheSeedOnly) {
  const auto one = searched(std::string(kWire) + kVariants, {}, 1);
  const auto two = searched(std::string(kWire) + kVariants, {}, 2);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(encode(*one), encode(*two));
  EXPECT_EQ(load_table(*one, report::Style::Plain), load_table(*two, report::Style::Plain));
}

TEST(SearchLoads, OtherTrafficOfTheScenarioIsLeftOut) {
  for (const char* concurrent : {"true", "false"}) {
    const auto report =
        searched(std::string("  topology: t.yaml\n  traffic:\n  - {name: bulk, kind: tcp}\n"
                             "  - {name: stream, kind: udp, payloadBytes: 1000, rate: 10Mbit/s}\n"
                             "  concurrent: ") +
                 concurrent + "\n");
    ASSERT_TRUE(report) << report.error().findings.at(0).to_string();
    EXPECT_EQ(report->traffic, "stream");
    const double wire = 1e9 / 8 / 1066;
    EXPECT_NEAR(found(*report, 0), wire, wire * 0.006);
  }
}

TEST(SearchLoads, TellsOfEachTrial) {
  std::size_t trials = 0;
  LoadRequest asked;
  asked.on_trial = [&](const std::string& variant, std::int64_t load) {
    EXPECT_TRUE(variant == "routed" || variant == "ipip") << variant;
    EXPECT_GT(load, 0);
    ++trials;
  };
  const auto report = searched(std::string(kWire) + kVariants, asked, 2);
  ASSERT_TRUE(report);
  EXPECT_EQ(trials,
            report->variants[0].found->trial_count() + report->variants[1].found->trial_count());
}

TEST(SearchLoads, MarksIrregularResults) {
  const auto report = searched(kWire, {.max = 50'000});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->variants[0].found->goals[0].ending, load_search::Ending::HoldsAtMax);
  EXPECT_EQ(report->ratio_ppm(report->variants[0], 0), std::nullopt);
  const std::string table = load_table(*report, report::Style::Plain);
  EXPECT_THAT(table, HasSubstr("? 50,000"));
  EXPECT_THAT(table, HasSubstr("raise --max"));
}

TEST(SearchLoads, SaysWhatCannotBeSearched) {
  const auto error = [](const std::string& spec, const LoadRequest& asked, Failure::Kind kind) {
    const auto report = searched(spec, asked);
    EXPECT_FALSE(report) << spec;
    if (report) return std::string();
    EXPECT_EQ(report.error().kind, kind);
    return report.error().findings.at(0).to_string();
  };
  const std::string traffic = "  topology: t.yaml\n  traffic:\n  - {name: bulk, kind: tcp}\n";
  const std::string udp = "kind: udp, payloadBytes: 1000, rate: 10Mbit/s";
  EXPECT_THAT(error(traffic, {}, Failure::Kind::Input), HasSubstr("no paced UDP traffic"));
  EXPECT_THAT(error(traffic + "  - {name: random, arrivals: poisson, " + udp + "}\n",
                    {.traffic = "random"}, Failure::Kind::Usage),
              HasSubstr("leave at random"));
  const std::string two = traffic + "  - {name: a, " + udp + "}\n  - {name: b, " + udp + "}\n";
  EXPECT_THAT(error(two, {}, Failure::Kind::Usage), HasSubstr("--traffic: \"a\", \"b\""));
  EXPECT_THAT(error(two, {.traffic = "c"}, Failure::Kind::Usage), HasSubstr("no traffic \"c\""));
  EXPECT_THAT(error(two, {.traffic = "bulk"}, Failure::Kind::Usage), HasSubstr("it is not udp"));
  EXPECT_THAT(error(two, {.traffic = "a", .min = 10, .max = 20}, Failure::Kind::Usage),
              HasSubstr("less than 10 datagrams"));
  EXPECT_THAT(error(two, {.traffic = "a", .min = 5000, .max = 4000}, Failure::Kind::Usage),
              HasSubstr("above the maximum"));
  EXPECT_THAT(error(two, {.traffic = "a", .goals = {.trial = {}}}, Failure::Kind::Usage),
              HasSubstr("longer than 0 s"));
  EXPECT_THAT(error(std::string(kWire) +
                        "  events:\n  - {at: 1ms, what: remove-cloud-route, node: node-2}\n",
                    {}, Failure::Kind::Input),
              HasSubstr("events"));
}

}  // namespace search_loads_test
}  // namespace overlane::search
