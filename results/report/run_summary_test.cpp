#include "results/report/run_summary.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/base/text.h"
#include "results/report/text.h"

namespace overlane::report {

namespace run_summary_test {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

model::TrafficResult bulk(const std::string& name) {
  return {.name = name, .kind = model::TrafficKind::Tcp, .goodput_bps = 9'415'000'000};
}

model::TrafficResult requests(const std::string& name) {
  model::TrafficResult result{.name = name, .kind = model::TrafficKind::RequestResponse};
  result.latency_ns.record(41'000);
  return result;
}

/// A report of `variants` variants with `groups` pairs of traffic groups, without comparison.
model::RunReport report(int variants = 3, int groups = 1) {
  model::RunReport report{.scenario = "example", .assumptions = {{.parameter = "a"}}};
  for (int v = 0; v < variants; ++v) {
    model::VariantResult variant{.name = v == 0 ? "routed" : fmt::format("variant-{}", v)};
    for (int g = 0; g < groups; ++g) {
      variant.traffic.push_back(bulk(fmt::format("bulk-{}", g)));
      variant.traffic.push_back(requests(fmt::format("requests-{}", g)));
    }
    report.variants.push_back(variant);
  }
  return report;
}

void compare(model::RunReport& report, int variant, const std::string& traffic,
             const std::string& metric, std::int64_t ratio_ppm) {
  report.comparison.push_back({.traffic = traffic,
                               .metric = metric,
                               .variant = fmt::format("variant-{}", variant),
                               .baseline = "routed",
                               .ratio_ppm = ratio_ppm});
}

/// A text without its line breaks and indentation.
std::string words_on_one_line(const std::string& text) {
  std::string line;
  for (const std::string& word : words_of(text))
    line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string summary_of(const model::RunReport& report) {
  return run_summary(report, Style::Plain);
}

TEST(RunSummary, JudgesEachVariantByItsLargestDifferences) {
  struct Row {
    std::int64_t goodput_ppm;
    std::int64_t latency_ppm;
    const char* verdict;
  };
  for (const Row& row : {
           Row{986'000, 1'200'000,
               "  variant-1 is worse than routed: up to 20.0 % more median latency (requests-0),\n"
               "  up to 1.4 % less goodput (bulk-0)\n"},
           Row{990'100, 1'009'900,
               "  variant-1 is as good as routed: goodput, latency and connections within 1 %\n"},
           Row{1'500'000, 1'000'000,
               "  variant-1 is better than routed: up to 50.0 % more goodput (bulk-0)\n"},
           Row{980'000, 700'000,
               "  variant-1 is better and worse than routed: up to 30.0 % less median latency\n"
               "  (requests-0), up to 2.0 % less goodput (bulk-0)\n"},
       }) {
    model::RunReport judged = report(2);
    compare(judged, 1, "bulk-0", "goodput_bps", row.goodput_ppm);
    compare(judged, 1, "requests-0", "latency_ns.p50", row.latency_ppm);
    EXPECT_THAT(summary_of(judged), HasSubstr(row.verdict));
  }
}

TEST(RunSummary, NamesTheWorstOfSeveralTrafficGroups) {
  model::RunReport judged = report(2, 2);
  compare(judged, 1, "bulk-0", "goodput_bps", 950'000);
  compare(judged, 1, "bulk-1", "goodput_bps", 900'000);
  EXPECT_THAT(summary_of(judged), HasSubstr("up to 10.0 % less goodput (bulk-1)\n"));
}

TEST(RunSummary, NamesTheLargestEffectFirstOverAllVariantsAndTraffic) {
  model::RunReport judged = report(3, 2);
  compare(judged, 1, "bulk-0", "goodput_bps", 704'000);
  compare(judged, 1, "bulk-1", "goodput_bps", 980'000);
  compare(judged, 2, "bulk-0", "goodput_bps", 990'000);
  compare(judged, 2, "bulk-1", "goodput_bps", 501'000);
  const std::string text = summary_of(judged);
  EXPECT_THAT(text,
              HasSubstr("example\n  variant-2 is worse than routed: up to 49.9 % less goodput "
                        "(bulk-1)\n  variant-1 is worse than routed: up to 29.6 % less goodput "
                        "(bulk-0)\n  variant-1 is better than variant-2 for bulk-1, and worse for "
                        "bulk-0\n"));
}

TEST(RunSummary, HasRangesOverHostsInWholePercentIfThereIsNoRoom) {
  model::RunReport judged = report(3);
  judged.cost_profile = "linux-server";
  judged.cost_hosts = {"fast", "slow"};
  for (int variant = 1; variant < 3; ++variant) {
    compare(judged, variant, "bulk-0", "goodput_bps", 700'000);
    judged.comparison.back().range = model::RatioRange{678'000, 817'000};
  }
  const std::string text = summary_of(judged);
  EXPECT_THAT(text, HasSubstr("9.415 Gbit/s  -18.3 to -32.2 %  -18.3 to -32.2 %\n"));
  EXPECT_THAT(text, HasSubstr("up to 32.2 % less goodput (bulk-0)"));
  EXPECT_THAT(text, HasSubstr("\n  Ranges are over the hosts behind linux-server (fast, slow);"));
  judged.variants[0].traffic[0].name = judged.variants[1].traffic[0].name =
      judged.variants[2].traffic[0].name = judged.comparison[0].traffic =
          judged.comparison[1].traffic = "traffic-with-a-long-name";
  EXPECT_THAT(summary_of(judged), HasSubstr("9.415 Gbit/s  -18 to -32 %  -18 to -32 %\n"));
}

TEST(RunSummary, CountsNewConnections) {
  model::RunReport judged = report(2);
  for (model::VariantResult& variant : judged.variants)
    variant.traffic[1].connections_per_second = 52'860;
  compare(judged, 1, "requests-0", "connections_per_second", 770'000);
  const std::string text = summary_of(judged);
  EXPECT_THAT(text, HasSubstr("up to 23.0 % fewer connections (requests-0)\n"));
  EXPECT_THAT(text, HasSubstr("  requests-0, per second        52,860       -23.0 %\n"));
}

TEST(RunSummary, JudgesATrafficGroupByOneFigure) {
  model::RunReport judged = report(2);
  compare(judged, 1, "bulk-0", "latency_ns.p50", 3'000'000);
  compare(judged, 1, "requests-0", "goodput_bps", 500'000);
  EXPECT_THAT(summary_of(judged), HasSubstr("variant-1 is as good as routed"));
}

TEST(RunSummary, SaysTheLatencyOfTcpWithAFullWindowBesideItsVerdict) {
  model::RunReport judged = report(2);
  compare(judged, 1, "bulk-0", "goodput_bps", 501'000);
  compare(judged, 1, "requests-0", "latency_ns.p50", 1'080'000);
  compare(judged, 1, "bulk-0", "latency_ns.p50", 8'500'000);
  judged.comparison.back().range = model::RatioRange{7'500'000, 10'340'000};
  const std::string queued =
      "up to 10.3 times the median latency where TCP keeps its window full (bulk-0)";
  const std::string effects =
      "up to 49.9 % less goodput (bulk-0), up to 8.0 % more median latency (requests-0), ";
  EXPECT_THAT(verdict_texts(judged).front(), HasSubstr(effects + queued));
  EXPECT_THAT(words_on_one_line(summary_of(judged)), HasSubstr(effects + queued));
  judged.comparison.back() = judged.comparison.front();
  compare(judged, 1, "bulk-0", "latency_ns.p50", 1'900'000);
  EXPECT_THAT(verdict_texts(judged).front(), Not(HasSubstr("window")));
}

TEST(RunSummary, NamesTheShootAndItsPresentVariant) {
  model::RunReport named = report(2);
  named.shoot = "garden-dev/a";
  EXPECT_THAT(summary_of(named), StartsWith("example, shoot garden-dev/a\n"));
  named.present_variant = "variant-1";
  EXPECT_THAT(summary_of(named), StartsWith("example, shoot garden-dev/a (now variant-1)\n"));
}

TEST(RunSummary, ShowsTheBaselinesFigureAndTheOthersChange) {
  model::RunReport judged = report(2);
  std::ranges::reverse(judged.variants);
  compare(judged, 1, "bulk-0", "goodput_bps", 986'000);
  compare(judged, 1, "requests-0", "latency_ns.p50", 1'200'000);
  EXPECT_THAT(summary_of(judged), HasSubstr("                             routed  variant-1\n"
                                            "  bulk-0, goodput      9.415 Gbit/s     -1.4 %\n"
                                            "  requests-0, latency       41.0 µs    +20.0 %\n"));
}

TEST(RunSummary, SaysWhyAVariantDidNotRun) {
  model::RunReport refused = report(2);
  refused.variants.push_back({.name = "vxlan",
                              .status = model::VariantStatus::NotAdmitted,
                              .reason = "the provider's admission refuses it"});
  compare(refused, 1, "bulk-0", "goodput_bps", 986'000);
  EXPECT_THAT(summary_of(refused),
              HasSubstr("\n  vxlan (not-admitted): the provider's admission refuses it\n"));
}

TEST(RunSummary, NamesTheVariantsThatDropPackets) {
  model::RunReport dropping = report(2);
  dropping.variants[1].traffic[0].drops[Drop::MtuExceeded] = 7;
  dropping.variants[1].traffic[1].drops[Drop::MtuExceeded] = 1'000;
  const std::string text = words_on_one_line(summary_of(dropping));
  const std::string meaning = std::string(facts(Drop::MtuExceeded).meaning) + " (mtu-exceeded)";
  const std::string of_variant = " variant-1 drops 1,007 packets: " + meaning + " ";
  EXPECT_THAT(text, HasSubstr(of_variant));
  EXPECT_THAT(text, Not(HasSubstr("routed drops")));
  dropping.variants[0].traffic[0].drops[Drop::MtuExceeded] = 5;
  EXPECT_THAT(words_on_one_line(summary_of(dropping)),
              HasSubstr(" Dropped packets: routed 5, variant-1 1,007; " + meaning + " "));
  dropping.variants[0].traffic[0].drops[Drop::NoRoute] = 2;
  EXPECT_THAT(words_on_one_line(summary_of(dropping)), HasSubstr(of_variant));
  EXPECT_THAT(words_on_one_line(summary_of(dropping)),
              HasSubstr(" routed drops 2 packets: " + std::string(facts(Drop::NoRoute).meaning) +
                        " (no-route); 5: " + meaning + " "));
}

TEST(RunSummary, NamesTheInterruptedFlows) {
  model::RunReport interrupted = report(2);
  model::Interruptions interruptions{.flows = 4, .interrupted = 2, .not_resumed = 1};
  interruptions.longest_ns.record(9'000'000);
  interrupted.variants[1].traffic[0].interruptions = interruptions;
  EXPECT_THAT(summary_of(interrupted), HasSubstr("\n  variant-1: 2 of 4 flows of bulk-0 "
                                                 "interrupted, up to 9.00 ms, 1 not resumed\n\n"));
}

TEST(RunSummary, AVariantThatInterruptsOtherFlowsIsNotAsGood) {
  model::RunReport events = report(3);
  for (model::VariantResult& variant : events.variants)
    variant.traffic[0].interruptions = model::Interruptions{.flows = 4};
  events.variants[0].traffic[0].interruptions->interrupted = 2;
  events.variants[2].traffic[0].interruptions->interrupted = 2;
  events.variants[2].traffic[0].interruptions->not_resumed = 1;
  for (const int variant : {1, 2})
    compare(events, variant, "bulk-0", "goodput_bps", 1'000'000);
  EXPECT_THAT(
      verdict_texts(events),
      testing::ElementsAre(
          "variant-1 is better than routed: 0 of 4 flows of bulk-0 interrupted (routed: 2)",
          "variant-2 is worse than routed: 1 of 4 flows of bulk-0 not resumed (routed: 0)"));
}

TEST(RunSummary, AVariantThatReachesMorePodsIsNotWorseAlone) {
  model::RunReport blocked = report(2);
  blocked.variants[0].status = model::VariantStatus::Partial;
  blocked.variants[0].reason = "8 of 13 paths between pods are blocked";
  compare(blocked, 1, "bulk-0", "goodput_bps", 670'000);
  const std::string judged =
      "variant-1 is better and worse than routed: pods reach each other that do not with routed, "
      "up to 33.0 % less goodput (bulk-0)";
  EXPECT_THAT(
      verdict_texts(blocked),
      testing::ElementsAre("routed (partial): 8 of 13 paths between pods are blocked", judged));
  blocked.variants[0].ending = model::Ending::EventLimit;
  EXPECT_THAT(verdict_texts(blocked).back(), HasSubstr("variant-1 is worse than routed: up to"));
}

TEST(RunSummary, WithoutTheBaselineItSaysWhatIsMissing) {
  model::RunReport partial = report(3);
  partial.variants[0].status = model::VariantStatus::NotDeliverable;
  partial.variants[0].reason = "no route";
  EXPECT_THAT(verdict_texts(partial),
              testing::ElementsAre("routed (not-deliverable): no route",
                                   "Nothing to compare with: routed did not run in full."));
}

// A variant may have run on a route that is only assumed.
TEST(RunSummary, AConditionComesBeforeTheComparison) {
  model::RunReport assumed = report(2);
  assumed.variants[0].reason = "holds only if provider one writes routes";
  compare(assumed, 1, "bulk-0", "goodput_bps", 670'000);
  EXPECT_THAT(verdict_texts(assumed),
              testing::ElementsAre("routed: holds only if provider one writes routes",
                                   HasSubstr("variant-1 is worse than routed: up to 33.0 %")));
}

TEST(RunSummary, SingleVariantHasNoComparison) {
  const std::string text = summary_of(report(1));
  EXPECT_THAT(text, HasSubstr("Nothing to compare: fewer than two variants ran in full.\n"));
  EXPECT_THAT(text, HasSubstr("9.415 Gbit/s"));
  EXPECT_THAT(text, HasSubstr("\n  1 value assumed, 0 findings, result hash "));
}

TEST(RunSummary, BeginsWithWhatIsNotModelled) {
  model::RunReport judged = report(2);
  EXPECT_EQ(left_out_text(judged), "");
  const auto about = [](const std::string& what) {
    return Finding{.rule = std::string(model::kUnsupportedRegime),
                   .severity = Severity::Warning,
                   .message = "lab: not modelled: " + what + ": streams run without"};
  };
  judged.findings = {about("BIG TCP (gsoMaxSize: 131072)"), about("BBR (sysctl: bbr)"),
                     about("BBR (sysctl: bbr)")};
  EXPECT_EQ(left_out_text(judged),
            "Not modelled, although the input has it: BIG TCP (gsoMaxSize: 131072); BBR (sysctl: "
            "bbr). The figures leave it out.");
  const std::string text = summary_of(judged);
  EXPECT_LT(text.find("Not modelled, although"), text.find("Gbit/s"));
}

TEST(RunSummary, SaysHowFarToTrustTheFigures) {
  model::RunReport judged = report(2);
  EXPECT_THAT(summary_of(judged), HasSubstr("\n  Values are assumed, hosts differ in cost: "
                                            "trust the order within a row.\n"));
  judged.cost_profile = "linux-server";
  EXPECT_THAT(summary_of(judged), HasSubstr("\n  Values are assumed, costs are a mean of hosts: "));
  judged.cost_profile = "none";
  EXPECT_THAT(summary_of(judged), Not(HasSubstr("trust")));
}

TEST(RunSummary, SaysTheMachineAndWhatOfItIsAssumed) {
  using model::FigureSource;
  struct Row {
    model::NodeMachine machine;
    const char* line;
  };
  const std::int64_t gbit = 1'000'000'000;
  for (const Row& row : {
           Row{{"m5.large", 2, FigureSource::Published, 10 * gbit, FigureSource::Published,
                gbit * 3 / 4},
               "  Machine m5.large: 2 cores, 10 Gbit/s in bursts (750 Mbit/s sustained).\n"},
           Row{{"c6gn.4xlarge",
                16,
                FigureSource::CloudProfile,
                25 * gbit,
                FigureSource::Published,
                {}},
               "  Machine c6gn.4xlarge: 16 cores, 25 Gbit/s.\n"},
           Row{{"g_c4_m16", 4, FigureSource::Published, 10 * gbit, FigureSource::Default, {}},
               "  Machine g_c4_m16: 4 cores; its NIC is not known, 10 Gbit/s is assumed.\n"},
           Row{{"x99.huge", 4, FigureSource::Default, 10 * gbit, FigureSource::Default, {}},
               "  Machine x99.huge is not known: 4 cores and a NIC of 10 Gbit/s are assumed.\n"},
           Row{{"", 4, FigureSource::Default, 10 * gbit, FigureSource::Default, {}},
               "  Machine type not given: 4 cores and a NIC of 10 Gbit/s are assumed.\n"},
           Row{{"m5.large", 8, FigureSource::Topology, 40 * gbit, FigureSource::Topology, {}},
               "  Machine as the Topology says: 8 cores, 40 Gbit/s.\n"},
           Row{{"x99.huge", 4, FigureSource::Default, 25 * gbit, FigureSource::Topology, {}},
               "  Machine x99.huge: 4 cores are assumed, NIC of 25 Gbit/s.\n"},
       }) {
    model::RunReport with = report();
    with.machine = row.machine;
    const std::string heading = with.scenario + '\n';
    EXPECT_THAT(summary_of(with), StartsWith(heading + row.line));
  }
  EXPECT_THAT(summary_of(report()), Not(HasSubstr("Machine")));
}

TEST(RunSummary, RepeatedRunHasIntervals) {
  model::RunReport judged = report(2);
  judged.variants[0].traffic[0].repeated = {{"goodput_bps", {9'400'000'000, 9'430'000'000}}};
  compare(judged, 1, "bulk-0", "goodput_bps", 986'000);
  judged.comparison[0].repeated_ppm = {985'000, 987'000};
  EXPECT_THAT(summary_of(judged), HasSubstr("9.415 Gbit/s ± 190.6 Mbit/s  -1.4 % ± 1.3\n"));
}

TEST(RunSummary, OmitsIntervalsBeforeVariants) {
  model::RunReport judged = report(3);
  judged.variants[0].traffic[0].repeated = {{"goodput_bps", {9'400'000'000, 9'430'000'000}}};
  for (model::VariantResult& variant : judged.variants)
    variant.traffic[1].name = "requests-of-other-zones";
  for (int variant = 1; variant < 3; ++variant) {
    compare(judged, variant, "bulk-0", "goodput_bps", 986'000);
    judged.comparison.back().repeated_ppm = {985'000, 987'000};
  }
  const std::string text = summary_of(judged);
  EXPECT_THAT(text, Not(HasSubstr("190.6 Mbit/s")));
  EXPECT_THAT(text, HasSubstr("9.415 Gbit/s  -1.4 % ± 1.3  -1.4 % ± 1.3\n"));
}

TEST(RunSummary, OmitsTrafficThatDoesNotCrossZones) {
  model::RunReport judged = report(2);
  judged.findings = {{.rule = "zones-unavailable",
                      .message = "traffic \"requests-0\" wants two nodes in different zones and "
                                 "there are none"}};
  const std::string text = summary_of(judged);
  EXPECT_THAT(text, Not(HasSubstr("requests-0, latency")));
  EXPECT_THAT(text, HasSubstr("bulk-0, goodput"));
}

TEST(RunSummary, AlwaysFitsTheScreen) {
  model::RunReport large = report(40, 20);
  for (int variant = 1; variant < 40; ++variant) {
    for (int group = 0; group < 20; ++group) {
      compare(large, variant, fmt::format("bulk-{}", group), "goodput_bps", 500'000);
      compare(large, variant, fmt::format("requests-{}", group), "latency_ns.p50", 2'000'000);
    }
  }
  const std::string text = summary_of(large);
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_LE(display_width(line), 80u) << line;
  EXPECT_LE(count, 21) << "a prompt, the command and a hint have room, too";
  EXPECT_THAT(text, HasSubstr("  … and 37 more\n"));
  EXPECT_THAT(text, HasSubstr("  … and 33 more traffic groups\n"));
  EXPECT_THAT(text, HasSubstr(" more variants\n"));
  EXPECT_THAT(summary_of(report(2)), Not(HasSubstr("more")));
}

}  // namespace run_summary_test

}  // namespace overlane::report
