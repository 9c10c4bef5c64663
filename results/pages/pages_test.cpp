#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/answer/testing/renderings.h"
#include "results/model/run_report_json.h"
#include "results/model/testing/example_report.h"
#include "results/pages/page.h"
#include "results/pages/run_page.h"
#include "results/pages/suite_page.h"
#include "results/report/document_text.h"
#include "results/report/run_document.h"
#include "results/stats/testing/nights.h"

namespace overlane::pages {
namespace pages_test {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// The data of a page's script.
Json data_of(const std::string& page) {
  const std::string start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t first = page.find(start) + start.size();
  return Json::parse(page.substr(first, page.find("</script>", first) - first));
}

constexpr const char* kEvil = "</script><img src=x onerror=alert(1)>\"&\x1b[31m";

TEST(Pages, NamesFromInputsAreText) {
  const std::string page = html_page(kEvil, page_header(kEvil, {.origin = kEvil}, ""),
                                     "<p>" + html_text(kEvil) + "</p>", {{"name", kEvil}});
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_EQ(data_of(page)["name"], kEvil);
}

TEST(Pages, NothingIsLoaded) {
  const std::string page = html_page("t", "", chart("latency", 0, "c"), Json::object());
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("uPlot"));
  EXPECT_THAT(page, Not(HasSubstr(" src=")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(html_page("t", "", "", Json::object()), Not(HasSubstr("MIT License"))) << "no chart";
}

TEST(Pages, ARunHasBarsBottlenecksAssumptionsAndTopology) {
  model::RunReport report = model::example_report();
  report.variants[0].traffic[0].repeated = {{.metric = "goodput_bps", .values = {3, 5}}};
  const std::string page =
      run_page(report, {.network = "VPC 10.0.0.0/16, MTU 9001",
                        .zones = {{.name = "a", .subnet = "10.0.0.0/17", .nodes = {}}}});
  EXPECT_THAT(page, HasSubstr("<span class=\"value\">9.415 Gbit/s</span>"));
  EXPECT_THAT(page, HasSubstr("<svg class=\"bar v0\""));
  EXPECT_THAT(page, HasSubstr("<path d=\"M")) << "the interval";
  EXPECT_THAT(page, HasSubstr("95 % interval of the mean"));
  EXPECT_THAT(page, HasSubstr("nic rate 10 Gbit/s"));
  EXPECT_THAT(page, HasSubstr("machine types of the provider"));
  EXPECT_THAT(page, HasSubstr("refuses backend vxlan"));
  EXPECT_THAT(page, HasSubstr("VPC 10.0.0.0/16"));
  const Json data = data_of(page);
  ASSERT_EQ(data["latency"].size(), 1u);
  EXPECT_EQ(data["latency"][0]["variants"].size(), 2u);
  EXPECT_EQ(data["latency"][0]["variants"][0]["shares"].front(), 0.0);
  EXPECT_EQ(data["latency"][0]["variants"][1]["slot"], 1) << "ipip has one colour on all pages";
  EXPECT_THAT(page, HasSubstr(">99.9 %</th>")) << "percentiles without hovering";
}

TEST(Pages, ASimulatedRunSaysSoWithItsShootAndDate) {
  model::RunReport report = model::example_report();
  report.shoot = "garden-dev/a";
  report.cost_profile = "linux-server";
  report.cost_hosts = {"fast", "slow"};
  report.comparison[0].range = model::RatioRange{.low_ppm = 950'000, .high_ppm = 990'000};
  report.environment.started_ms = 1'795'824'000'000;
  const std::string page = run_page(report, {});
  EXPECT_THAT(page, HasSubstr("<p>Simulated for shoot garden-dev/a, 2026-11-28 00:00 UTC. Nothing "
                              "here was measured in a cluster. Machine m5.large: 2 cores, "));
  EXPECT_THAT(page, HasSubstr("<li>ipip is worse than routed: up to 5.0 % less goodput (bulk)"));
  EXPECT_THAT(page, HasSubstr("<span class=\"change soft\">-1.0 to -5.0 %</span>"));
  EXPECT_THAT(page, HasSubstr("Changes are against routed."));
  EXPECT_THAT(page, HasSubstr("<span class=\"origin\">simulated</span> garden-dev/a</p>"));
  EXPECT_THAT(page, HasSubstr("<dd>up to 5.0 % less goodput (bulk)</dd>"));
  EXPECT_THAT(page, HasSubstr("Ranges are over the hosts behind linux-server"));
  EXPECT_THAT(page, HasSubstr("<details><summary>The host that simulated</summary>"));
  EXPECT_THAT(page, Not(HasSubstr("Where it was measured")));
  EXPECT_THAT(page, Not(HasSubstr("load at the start")));
  report.executor = model::Executor::Kernel;
  const std::string measured = run_page(report, {});
  EXPECT_THAT(measured, HasSubstr("<p>Measured for shoot garden-dev/a"));
  EXPECT_THAT(measured, HasSubstr("<summary>Where it was measured</summary>"));
  EXPECT_THAT(measured, HasSubstr("load at the start"));
  EXPECT_THAT(measured, Not(HasSubstr("Simulated")));
  EXPECT_THAT(measured, Not(HasSubstr(">simulated")));
}

TEST(Pages, OverTimeARunShowsWhatTheNetworkDelivered) {
  model::RunReport report = model::example_report();
  // Data after a lost segment is read at once: faster than a NIC of 10 Gbit/s.
  model::Series series{.end_ns = {4'000'000, 8'000'000}};
  series.traffic.push_back({.name = "bulk",
                            .throughput_bps = {4'990'000'000, 4'990'000'000},
                            .goodput_bps = {0, 21'390'000'000}});
  report.variants[0].series = {series};
  const std::string page = run_page(report, {});
  EXPECT_THAT(page, HasSubstr("<h2>Throughput over time</h2>"));
  EXPECT_EQ(data_of(page)["series"][0]["lines"][0]["bps"],
            (std::vector<std::int64_t>{4'990'000'000, 4'990'000'000}));
}

/// A run with every kind of content: two variants, events that interrupt flows, drops, steps,
/// limits with movements, repetitions, ranges, series, findings, and a variant that did not run.
model::RunReport eventful_report() {
  model::RunReport report = model::example_report();
  report.cost_hosts = {"fast", "slow"};
  report.comparison[0].range = model::RatioRange{.low_ppm = 950'000, .high_ppm = 990'000};
  for (model::VariantResult& one : report.variants)
    if (one.dataplane) one.dataplane->service_routing = one.dataplane->routes_by = "cilium";
  model::VariantResult& variant = report.variants[0];
  variant.traffic[0].drops[Drop::MtuExceeded] = 12;
  variant.traffic[0].interruptions = model::Interruptions{.flows = 8, .interrupted = 3};
  variant.steps = {
      {.at_ns = 40'000'000, .what = "remove route", .lines = {"- 10.1.0.0/24 <gone>"}}};
  variant.limits[0].movements = {{.constant = "machine.nic",
                                  .value = "10 Gbit/s",
                                  .moved_to = "11 Gbit/s",
                                  .metric = "goodput_bps",
                                  .before = 100,
                                  .after = 110}};
  variant.explained = {{"", "nodes.cpu_utilisation.mean", {}}};
  report.findings = {{.rule = "zones-unavailable",
                      .severity = Severity::Note,
                      .message = "one zone <only> | all",
                      .place = {.file = "s.yaml", .line = 4, .column = 2},
                      .hint = "add `zones`"}};
  return report;
}

/// Statements of a report, in the words that every format must contain.
std::vector<std::string> statements(const model::RunReport& report) {
  std::vector<std::string> texts{report.scenario, model::result_hash(report), report.cost_profile};
  for (const model::VariantResult& variant : report.variants) {
    texts.insert(texts.end(),
                 {variant.name, std::string(to_string(variant.status)), variant.reason});
    for (const model::TrafficResult& result : variant.traffic)
      for (const DropFacts& reason : kDrops)
        if (result.drops[reason.drop] > 0) texts.emplace_back(reason.name);
    for (const model::Limit& limit : variant.limits)
      texts.insert(texts.end(), {limit.station, limit.constant, limit.source});
    for (const model::Step& step : variant.steps) {
      texts.push_back(step.what);
      texts.insert(texts.end(), step.lines.begin(), step.lines.end());
    }
  }
  for (const model::Event& event : report.events)
    texts.push_back(event.what);
  for (const model::Assumption& one : report.assumptions)
    texts.insert(texts.end(), {one.parameter, one.value, one.range, one.source, one.tag});
  for (const Finding& finding : report.findings)
    texts.insert(texts.end(), {std::string(to_string(finding.severity)), finding.rule,
                               finding.message, finding.hint});
  return texts;
}

TEST(Pages, ARunHasTheSameContentInEveryFormat) {
  using answer::testing::Format;
  using answer::testing::missing_texts;
  using answer::testing::words_of;
  const model::RunReport report = eventful_report();
  const answer::Document document = report::run_document(report);
  const std::string text = report::document_text(document, {.with_title = true});
  const std::string markdown = report::document_markdown(document);
  const std::string page = run_page(report, {});
  for (const auto& [rendering, format] :
       {std::pair(&text, Format::Text), std::pair(&markdown, Format::Markdown),
        std::pair(&page, Format::Html)}) {
    SCOPED_TRACE(static_cast<int>(format));
    const std::string words = words_of(*rendering, format);
    EXPECT_THAT(missing_texts(document, answer::Detail::Always, *rendering, format), IsEmpty());
    EXPECT_THAT(missing_texts(statements(report), words), IsEmpty());
    // The phrases for ranges, interruptions and effects.
    EXPECT_THAT(missing_texts({"-1.0 to -5.0 %", "3 of 8 flows of bulk interrupted",
                               "mtu-exceeded 12", "flows interrupted 3 of 8",
                               "machine.nic 10 gbit/s → 11 gbit/s: goodput +10.0 %",
                               "cpu use – no constant moves it", "[zones-unavailable, s.yaml:4:2]"},
                              words),
                IsEmpty());
  }
  const std::string json = words_of(answer::testing::strings_of_json(model::encode(report).dump()));
  EXPECT_THAT(missing_texts(statements(report), json), IsEmpty());
}

TEST(VariantBars, ADrawingHasIntervalsAndMarksForWhatWasPredicted) {
  model::RunReport report = model::example_report();
  report.scenario = kEvil;
  model::TrafficResult& traffic = report.variants[0].traffic[0];
  traffic.repeated = {{.metric = "goodput_bps", .values = {9'000'000'000, 9'800'000'000}}};
  report.predictions = {{.variant = report.variants[0].name,
                         .traffic = traffic.name,
                         .metric = "goodput_bps",
                         .predicted = 18'830'000'000}};
  const auto all = variant_bars(report);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].figure, "goodput");
  EXPECT_EQ(all[0].longest, 18'830'000'000) << "the prediction";
  ASSERT_TRUE(all[0].bars[0].interval);
  EXPECT_FALSE(all[0].bars[1].interval);
  const std::string svg = variant_bars_svg(report);
  EXPECT_THAT(svg, HasSubstr("9.415 Gbit/s (predicted 18.830 Gbit/s)"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"predicted\""));
  EXPECT_THAT(svg, HasSubstr("95 % interval of the mean; dotted mark: predicted"));
  EXPECT_THAT(svg, Not(HasSubstr("<img")));
  report.predictions.clear();
  EXPECT_THAT(variant_bars_svg(report), Not(HasSubstr("dotted mark")));
}

TEST(Pages, ASuiteHasItsVerdictStepsAndTrends) {
  auto runs = stats::testing::Nights{
      .count = 14, .time = [](std::size_t night) {
        return night < 9 ? 1.0 : 1.1;
      }}.runs();
  runs[26].cases[0].document = model::encode(model::example_report()).dump();
  const auto trends = stats::find_trends(runs);
  const std::optional<stats::Judgement> judgement = stats::judge(runs[27], runs[26]);
  const std::string page = suite_page({runs, trends, judgement});
  EXPECT_THAT(page, HasSubstr("<span class=\"verdict regression\">regression</span> 1 worse"));
  EXPECT_THAT(page, HasSubstr("commit-9"));
  const Json data = data_of(page);
  EXPECT_EQ(data["runs"].size(), runs.size());
  EXPECT_EQ(data["trends"][0]["points"].size(), 14u);
  EXPECT_EQ(data["trends"][0]["means"].size(), 14u);
  EXPECT_EQ(data["trends"][0]["steps"].size(), 1u);
  EXPECT_EQ(data["ratios"].size(), 1u) << "one traffic group";
  EXPECT_THAT(page, HasSubstr("<dt>largest regression</dt><dd>+11.7 % ("));
  EXPECT_THAT(page, HasSubstr("<a href=\"#trend="));
  EXPECT_EQ(data["latency"].size(), 1u);
}

TEST(Pages, ANightWithUnclearMetricsIsNotClean) {
  auto runs = stats::testing::Nights{.count = 3}.runs();
  const auto trends = stats::find_trends(runs);
  std::optional<stats::Judgement> judgement = stats::judge(runs[5], runs[4]);
  ASSERT_FALSE(judgement->any_regression());
  ASSERT_FALSE(judgement->metrics.empty());
  const char* clean = "<span class=\"verdict clean\">clean</span>";
  for (stats::MetricJudgement& one : judgement->metrics)
    one.verdict = stats::MetricVerdict::Same;
  EXPECT_THAT(suite_page({runs, trends, judgement}), HasSubstr(clean));
  judgement->metrics[0].verdict = stats::MetricVerdict::Unclear;
  const std::string page = suite_page({runs, trends, judgement});
  EXPECT_THAT(page, Not(HasSubstr(clean)));
  EXPECT_THAT(page, HasSubstr("<span class=\"verdict unclear\">no regression found</span>"));
}

TEST(Pages, WithoutABaseThereIsNoVerdict) {
  auto runs = stats::testing::Nights{.count = 3}.runs();
  std::erase_if(runs, [](const auto& run) { return run.purpose == model::RunPurpose::Base; });
  const auto trends = stats::find_trends(runs);
  EXPECT_THAT(suite_page({runs, trends, std::nullopt}), HasSubstr("no base to judge by"));
}

TEST(Pages, ASuiteShowsTheWorstOutageOfEachStrategy) {
  auto runs = stats::testing::Nights{.count = 2}.runs();
  const Json outage = {{"connections_between_nodes", "within a zone"},
                       {"lasting", 0},
                       {"longest_outage_ns", {{"median", 1'000'000'000}, {"most", 2'000'000'000}}}};
  const Json lasting = {{"connections_between_nodes", "across zones"},
                        {"lasting", 3},
                        {"longest_outage_ns", {{"median", 0}, {"most", 0}}}};
  runs.back().cases[0].document =
      Json{{"kind", "Migration"},
           {"strategies",
            {{{"name", "today"}, {"verdict", "outage"}, {"outages", {outage, lasting}}}}}}
          .dump();
  for (auto& run : runs)
    run.cases[0].document = runs.back().cases[0].document;
  const auto trends = stats::find_trends(runs);
  const std::string page = suite_page({runs, trends, std::nullopt});
  EXPECT_THAT(page, HasSubstr(">2.0 s<"));
  EXPECT_THAT(page, Not(HasSubstr(">1.0 s<")));
  EXPECT_THAT(page, HasSubstr(">never over<"));
}

TEST(Pages, ADocumentHasEveryTextAndItsCharts) {
  using answer::testing::Format;
  const answer::Document document = answer::testing::example_document();
  const std::string page = document_page(document);
  EXPECT_THAT(
      answer::testing::missing_texts(document, answer::Detail::PageOnly, page, Format::Html),
      ::testing::IsEmpty());
  EXPECT_THAT(page, HasSubstr("<span class=\"verdict bad\">no-go</span>"));
  EXPECT_THAT(page, HasSubstr("<details><summary>Over time</summary>\n<div class=\"wide\"><svg "));
  EXPECT_THAT(
      page,
      HasSubstr(
          "<pre class=\"commands\" tabindex=\"0\"><code># garden\nkubectl -n garden-dev patch"));
  EXPECT_THAT(page, HasSubstr("done</code></pre>")) << "lines of a command are kept";
  EXPECT_THAT(page, Not(HasSubstr("<stop>")));
}

TEST(Pages, TheTopOfADocumentHasTheBadgeAndTheHighlights) {
  answer::Document document{
      .title = "Switch",
      .sections = {{.heading = "",
                    .blocks = {answer::VerdictLine{.word = "go if it rains",
                                                   .tone = answer::Tone::Warning,
                                                   .text = "garden-dev/one.",
                                                   .badge = "outage"}}}},
      .overview = {.origin = "simulated",
                   .subject = "garden-dev/one.",
                   .highlights = {{"longest outage", "3.0 s"}}}};
  const std::string page = document_page(document);
  EXPECT_THAT(page, HasSubstr("outage</span></p>\n<p><b>go if it rains</b></p>\n"));
  EXPECT_THAT(page, HasSubstr("<dt>longest outage</dt><dd>3.0 s</dd>"));
  EXPECT_LT(page.find("3.0 s"), page.find("<main"));
  EXPECT_EQ(page.find("garden-dev/one"), page.rfind("garden-dev/one"))
      << "the subject is there once";
}

TEST(Pages, ALongTableIsFolded) {
  answer::Facts facts;
  for (int i = 0; i < 100; ++i)
    facts.facts.push_back({"label", "value"});
  const std::string folded = section_html({.heading = "many", .blocks = {facts}});
  EXPECT_THAT(folded, HasSubstr("<details><summary>100 rows</summary>"));
  facts.facts.resize(5);
  EXPECT_THAT(section_html({.heading = "few", .blocks = {facts}}), Not(HasSubstr("<details>")));
}

}  // namespace pages_test
}  // namespace overlane::pages
