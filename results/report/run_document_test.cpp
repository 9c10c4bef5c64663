#include "results/report/run_document.h"

#include <sstream>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/report/document_text.h"
#include "results/report/text.h"

namespace overlane::report {
namespace run_document_test {

using testing::HasSubstr;
using testing::Not;

model::VariantResult variant(const std::string& name, std::int64_t goodput_bps,
                             std::int64_t latency_ns) {
  model::TrafficResult bulk{
      .name = "bulk",
      .kind = model::TrafficKind::Tcp,
      .throughput_bps = goodput_bps + 400'000'000,
      .goodput_bps = goodput_bps,
      .packets = {.sent = 1'000'010, .delivered = 1'000'000, .dropped = 7, .in_flight = 3}};
  bulk.latency_ns.record(latency_ns);
  bulk.drops[Drop::NicQueueFull] = name == "ipip" ? 7 : 0;
  return {.name = name,
          .dataplane = model::VariantDataplane{.mode = name == "routed" ? "routed" : "overlay",
                                               .encapsulation = name == "routed" ? "none" : name,
                                               .routes_by = "bgp",
                                               .link_mtu = 1500,
                                               .pod_mtu = 1480,
                                               .overhead_bytes = 20},
          .byte_path = {.checked = 12},
          .traffic = {bulk},
          .limits = {{.traffic = "bulk",
                      .station = "link node-1 eth0",
                      .constant = "nic rate 10 Gbit/s",
                      .source = "default"}},
          .cpu_utilisation = {.mean_ppm = 125'000, .max_ppm = 250'000}};
}

model::RunReport report() {
  return {.scenario = "overlay-vs-routed",
          .seed = 7,
          .assumptions =
              {{.parameter = "nic_rate",
                .value = "10 Gbit/s",
                .range = "5–100 Gbit/s",
                .source = "a named default",
                .tag = "default"},
               {.parameter = "cores", .value = "4", .source = "a named default", .tag = "default"}},
          .variants = {variant("routed", 9'415'000'000, 41'000),
                       variant("ipip", 9'285'000'000, 45'000),
                       {.name = "vxlan",
                        .status = model::VariantStatus::NotAdmitted,
                        .reason = "the admission of the provider refuses the backend"}},
          .comparison = {{.traffic = "bulk",
                          .metric = "goodput_bps",
                          .variant = "ipip",
                          .baseline = "routed",
                          .ratio_ppm = 986'192},
                         {.traffic = "bulk",
                          .metric = "latency_ns.p50",
                          .variant = "ipip",
                          .baseline = "routed",
                          .ratio_ppm = 1'097'561}},
          .cost_profile = "example",
          .findings = {{.severity = Severity::Warning}, {.severity = Severity::Note}}};
}

std::string run_text(const model::RunReport& report, Style style = Style::Plain) {
  return document_text(run_document(report), {.style = style, .with_title = true});
}

/// The words of the line that starts with `label`, joined by single spaces.
std::string line_of(const std::string& text, const std::string& label) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string joined;
    for (std::string word; words >> word;)
      joined += joined.empty() ? word : ' ' + word;
    if (joined.starts_with(label)) return joined;
  }
  return "";
}

TEST(RunDocument, NamesAnUnknownMachineBeforeTheVerdicts) {
  model::RunReport unknown = report();
  unknown.machine = {.type = "x99.huge", .cores = 4, .nic_bps = 10'000'000'000};
  const answer::Document document = run_document(unknown);
  const auto* origin = std::get_if<answer::Paragraph>(&document.sections.front().blocks.front());
  ASSERT_NE(origin, nullptr);
  EXPECT_THAT(origin->text, testing::EndsWith(" Machine x99.huge is not known: 4 cores and a NIC "
                                              "of 10 Gbit/s are assumed."));
}

TEST(RunDocument, ShowsFiguresOfVariantsSideBySideWithUnits) {
  const std::string text = run_text(report());
  EXPECT_EQ(line_of(text, "encapsulation"), "encapsulation none ipip –");
  EXPECT_EQ(line_of(text, "pod MTU"), "pod MTU 1480 B 1480 B –");
  EXPECT_EQ(line_of(text, "goodput"), "goodput 9.415 Gbit/s 9.285 Gbit/s –");
  EXPECT_EQ(line_of(text, "latency p99"), "latency p99 41.0 µs 45.0 µs –");
  EXPECT_EQ(line_of(text, "packets sent"), "packets sent 1,000,010 1,000,010 –");
  EXPECT_EQ(line_of(text, "CPU busy, busiest"), "CPU busy, busiest node 25.0 % 25.0 % –");
}

TEST(RunDocument, ShowsEventsAndTheFlowsThatTheyInterrupted) {
  model::RunReport with_events = report();
  with_events.events = {{.at_ns = 1'000'000'000, .until_ns = 3'000'000'000, .what = "remove-route"},
                        {.at_ns = 2'000'000, .until_ns = {}, .what = "remove-device"}};
  model::Interruptions interruptions{.flows = 4, .interrupted = 2, .not_resumed = 1};
  interruptions.longest_ns.record(2'000'000);
  interruptions.longest_ns.record(9'000'000);
  with_events.variants[0].traffic[0].interruptions = interruptions;
  with_events.variants[1].traffic[0].interruptions = model::Interruptions{.flows = 4};
  const std::string text = run_text(with_events);
  EXPECT_THAT(text, HasSubstr("\nevents\n  1.000 s to 3.000 s  remove-route\n"
                              "  2.00 ms to the end  remove-device\n"));
  EXPECT_THAT(text, HasSubstr("ipip is better and worse than routed: 0 of 4 flows of bulk"));
  const std::string line = text.substr(text.find("  flows interrupted"));
  EXPECT_THAT(line.substr(0, line.find('\n')), HasSubstr("2 of 4"));
  EXPECT_THAT(line.substr(0, line.find('\n')), HasSubstr("0 of 4"));
  EXPECT_THAT(text, HasSubstr("longest, max"));
  EXPECT_THAT(text, HasSubstr("9.00 ms"));
  EXPECT_THAT(run_text(report()), Not(HasSubstr("interrupted")));
}

TEST(RunDocument, OmitsCpuUseIfCpuTimeIsFree) {
  model::RunReport free = report();
  free.cost_profile = "none";
  const std::string text = run_text(free);
  EXPECT_EQ(line_of(text, "CPU busy, busiest"), "CPU busy, busiest node not counted not counted –");
  EXPECT_EQ(line_of(text, "cost profile"), "cost profile none: CPU time is free");
}

TEST(RunDocument, DescribesTheTrafficOfEachGroup) {
  model::RunReport one_zone = report();
  EXPECT_THAT(run_text(one_zone),
              testing::HasSubstr("\ntraffic bulk (tcp; latency with a full window queued)\n"));
  one_zone.findings = {{.rule = "zones-unavailable",
                        .message = "traffic \"bulk\" wants two nodes in different zones and there "
                                   "are none"}};
  EXPECT_THAT(run_text(one_zone), testing::HasSubstr(" queued; one zone)\n"));
}

TEST(RunDocument, ComparesWithTheBaselineInPercent) {
  EXPECT_EQ(line_of(run_text(report()), "goodput against"),
            "goodput against routed baseline -1.4 % –");
  EXPECT_EQ(line_of(run_text(report()), "latency p50 against"),
            "latency p50 against routed baseline +9.8 % –");
}

TEST(RunDocument, ListsOnlyDropReasonsThatOccurred) {
  const std::string text = run_text(report());
  EXPECT_EQ(line_of(text, "nic-queue-full"), "nic-queue-full – 7 –");
  EXPECT_THAT(text, Not(HasSubstr("no-route")));
}

TEST(RunDocument, ListsVariantsThatDidNotRunLimitsAndAssumptions) {
  const std::string text = run_text(report());
  EXPECT_THAT(text, HasSubstr("vxlan (not-admitted): the admission of the provider refuses"));
  EXPECT_THAT(text,
              HasSubstr("ipip bulk: link node-1 eth0 – nic rate 10 Gbit/s (flow 0; default)"));
  EXPECT_THAT(text, HasSubstr("nic_rate = 10 Gbit/s (could be 5–100 Gbit/s), cores = 4: a named "
                              "default\n    [default]\n"));
  EXPECT_EQ(line_of(text, "findings"), "findings 1 warning, 1 note");
  EXPECT_EQ(line_of(text, "byte path"), "byte path 24 decisions checked, 0 mismatched");
}

TEST(RunDocument, ListsTheEffectsOfChangingALimitsConstants) {
  model::RunReport why = report();
  why.variants[1].limits[0].state_entry = "eth0: uplink mtu 1500 state UP";
  why.variants[1].limits[0].movements = {{.constant = "machine.nic",
                                          .value = "10 Gbit/s",
                                          .moved_to = "11 Gbit/s",
                                          .source = "a named default",
                                          .metric = "goodput_bps",
                                          .before = 9'285'000'000,
                                          .after = 10'213'500'000},
                                         {.constant = "tcp.window", .before = 1, .after = 1}};
  const std::string text = run_text(why);
  EXPECT_THAT(text, HasSubstr("\n  eth0: uplink mtu 1500 state UP\n  machine.nic 10 Gbit/s → "
                              "11 Gbit/s: goodput +10.0 % (a named default)\n"));
  EXPECT_THAT(text, Not(HasSubstr("tcp.window"))) << "it does nothing";
}

TEST(RunDocument, ListsTheConstantsThatAffectLatencyAndCpuUseMost) {
  const auto moved = [](const char* constant, std::int64_t after) {
    return model::Movement{.constant = constant,
                           .value = "20 µs",
                           .moved_to = "18 µs",
                           .metric = "latency_ns.p99",
                           .before = 10'000,
                           .after = after,
                           .also = {{"goodput_bps", 100, 101}}};
  };
  model::RunReport why = report();
  why.variants[0].explained = {
      {"bulk", "latency_ns.p99", {moved("latency.within_zone", 9'000), moved("stage veth", 9'999)}},
      {"", "nodes.cpu_utilisation.mean", {}}};
  const std::string text = run_text(why);
  const std::string& name = why.variants[0].name;
  EXPECT_THAT(text, HasSubstr("\nmoved by\n" + name +
                              " bulk: latency p99\n  latency.within_zone 20 µs → 18 µs: latency "
                              "p99 -10.0 %, goodput +1.0 %\n" +
                              name + ": CPU use – no constant moves it\n"));
}

TEST(RunDocument, RepeatedRunHasConfidenceIntervals) {
  EXPECT_THAT(run_text(report()), Not(HasSubstr("confidence")));
  model::RunReport repeated = report();
  repeated.seeds = {7, 8};
  repeated.variants[0].traffic[0].repeated = {
      {"goodput_bps", {9'410'000'000, 9'420'000'000}}};  // t of 12.706, error of the mean 5 Mbit/s
  const std::string text = run_text(repeated);
  EXPECT_EQ(line_of(text, "with 95 % confidence"), "with 95 % confidence ± 63.5 Mbit/s – –");
  EXPECT_EQ(line_of(text, "repetitions"), "repetitions 2, with seeds derived from it");
}

TEST(RunDocument, LinesFitTheTerminalAndHaveColoursOnlyOnRequest) {
  model::RunReport wide = report();
  for (int i = 0; i < 5; ++i)
    wide.variants.push_back(variant("another-variant-" + std::to_string(i), 1, 1));
  wide.assumptions[0].source =
      "one two three four five six seven eight nine ten eleven twelve "
      "thirteen fourteen fifteen sixteen";
  const std::string text = run_text(wide);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(display_width(line), terminal_width()) << line;
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(run_text(wide, Style::Colour), HasSubstr("\x1b[1m"));
}

TEST(RunDocument, TheOverviewHasTheOriginAndTheLargestEffects) {
  model::RunReport run = report();
  run.shoot = "garden-dev/one";
  const answer::Overview overview = run_document(run).overview;
  EXPECT_EQ(overview.origin, "simulated");
  EXPECT_EQ(overview.subject, "garden-dev/one");
  ASSERT_FALSE(overview.highlights.empty());
  EXPECT_LE(overview.highlights.size(), answer::kMaxHighlights);
  EXPECT_EQ(overview.highlights.front().label, "ipip against routed");
  EXPECT_EQ(overview.highlights.front().value, "up to 1.4 % less goodput (bulk)");
}

}  // namespace run_document_test
}  // namespace overlane::report
