#include "results/pages/suite_page.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/model/run_report_json.h"
#include "results/pages/page.h"
#include "results/pages/variant_colours.h"
#include "results/report/judgement_text.h"
#include "results/report/run_table.h"
#include "results/report/text.h"
#include "results/stats/judge.h"

namespace overlane::pages {
namespace {

using Json = nlohmann::ordered_json;
using model::CaseRun;
using model::RunPurpose;
using model::SuiteRun;
using stats::MetricJudgement;
using stats::MetricTrend;
using stats::MetricVerdict;

std::string coloured(std::string_view word) {
  return fmt::format("<span class=\"{}\">{}</span>", word, html_text(word));
}

/// The strategies of a Migration document side by side: their verdicts, and the longest outage of
/// each class of connections in the worst run. A longer outage has a deeper red. Throws
/// Json::exception if the document is not in this format.
answer::Table outage_heat_map(const Json& migration) {
  answer::Table table{.title = "strategy", .columns = {{"verdict"}}, .rows = {}};
  const auto seconds = [](const Json& outage) {
    return outage.at("longest_outage_ns").at("most").get<double>() / 1e9;
  };
  double longest = 1;
  for (const Json& strategy : migration.at("strategies"))
    for (const Json& outage : strategy.at("outages"))
      longest = std::max(longest, seconds(outage));
  for (const Json& strategy : migration.at("strategies")) {
    answer::TableRow row{.label = strategy.value("name", ""),
                         .cells = {{.text = strategy.value("verdict", "")}},
                         .explanation = ""};
    for (const Json& outage : strategy.at("outages")) {
      if (table.rows.empty())
        table.columns.push_back({outage.value("connections_between_nodes", "")});
      const bool is_lasting = outage.value("lasting", 0) > 0;
      row.cells.push_back(
          {.text = is_lasting ? "never over" : fmt::format("{:.1f} s", seconds(outage)),
           .share = is_lasting ? 1 : seconds(outage) / longest});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

class SuitePage {
 public:
  explicit SuitePage(const SuiteHistory& history)
      : runs_(history.runs),
        judgement_(history.judgement),
        tonight_(model::latest_judged(runs_)),
        base_(model::find_run(runs_, tonight_->beside)) {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      data_["runs"].push_back({{"date", report::time_text(runs_[i])},
                               {"time", runs_[i].started_ms / 1000},
                               {"commit", report::commit_text(runs_[i])}});
      if (runs_[i].purpose != RunPurpose::Judged) continue;
      for (const CaseRun& one : runs_[i].cases)
        if (auto report = report_of(one)) reports_[one.name].push_back({i, *std::move(report)});
    }
    for (const char* kind : {"trends", "ratios", "latency"})
      data_[kind] = Json::array();
    for (const MetricTrend& trend : history.trends)
      trends_.push_back(&trend);
    std::ranges::stable_sort(trends_, {}, rank_of);
  }

  std::string write() {
    const answer::Overview overview{
        .origin = "measured", .subject = subject(), .highlights = highlights()};
    const std::string title =
        fmt::format("Suite {}, night of {}", tonight_->suite, report::date_text(*tonight_));
    const std::string body =
        changes() + steps() + trends() + ratios() + latencies() + switches() + environment();
    return html_page(title, page_header(title, overview, verdict()), body, data_);
  }

 private:
  struct NightReport {
    std::size_t run;
    model::RunReport report;
  };

  static std::optional<model::RunReport> report_of(const CaseRun& one) {
    const Json document = Json::parse(one.document, nullptr, false);
    if (document.is_discarded()) return std::nullopt;
    auto report = model::decode_run_report(document);
    return report ? std::optional(*std::move(report)) : std::nullopt;
  }

  /// Places trends that are worse first, then those with a step; hashes are last.
  static int rank_of(const MetricTrend* trend) {
    if (trend->verdict == MetricVerdict::Worse) return 0;
    if (trend->metric.better == model::Better::Neither) return 3;
    return trend->steps.empty() ? 2 : 1;
  }

  std::string subject() const {
    return fmt::format(
        "commit `{}`, {} UTC{}", report::commit_text(*tonight_), report::time_text(*tonight_),
        base_ == nullptr ? "" : fmt::format(", beside base `{}`", report::commit_text(*base_)));
  }

  std::size_t undecided() const {
    return report::count(*judgement_, MetricVerdict::Unclear) +
           report::count(*judgement_, MetricVerdict::NotJudged);
  }

  /// The verdict as HTML. A night without a regression is not clean if metrics are undecided.
  std::string verdict() const {
    if (!judgement_) return "<p><span class=\"verdict\">no base to judge by</span></p>\n";
    // "regression: 1 worse, 40 same".
    const std::string text = report::verdict_text(*judgement_);
    const std::size_t end = text.find(':');
    std::string word = text.substr(0, end);
    std::string_view style = judgement_->any_regression() ? "regression" : "clean";
    if (!judgement_->any_regression() && (undecided() > 0 || judgement_->metrics.empty())) {
      word = "no regression found";
      style = "unclear";
    }
    return fmt::format("<p><span class=\"verdict {}\">{}</span> {}</p>\n", style, word,
                       html_text(text.substr(end + 2)));
  }

  /// The largest change of tonight, the oldest step that is still worse, and how much is undecided.
  std::vector<answer::Fact> highlights() const {
    std::vector<answer::Fact> facts;
    if (judgement_) {
      const MetricJudgement* worst = nullptr;
      for (const MetricJudgement& one : judgement_->metrics)
        if (stats::is_regression(one.verdict) &&
            (worst == nullptr || change_of(one) > change_of(*worst)))
          worst = &one;
      facts.push_back({"largest regression",
                       worst == nullptr ? std::string("none")
                                        : fmt::format("{} {}: {}", report::effect_text(*worst),
                                                      worst->case_name, worst->metric.name)});
    }
    const stats::TrendStep* oldest = nullptr;
    for (const MetricTrend* trend : trends_)
      for (const stats::TrendStep& step : trend->steps)
        if (is_open(*trend, step) && (oldest == nullptr || step.after < oldest->after))
          oldest = &step;
    facts.push_back(
        {"worse since", oldest == nullptr
                            ? std::string("no open step")
                            : fmt::format("{}, `{}`", report::date_text(runs_[oldest->after]),
                                          report::commit_text(runs_[oldest->after]))});
    if (judgement_)
      facts.push_back({"unclear or not judged",
                       fmt::format("{} of {}", undecided(),
                                   report::counted_text(judgement_->metrics.size(), "metric"))});
    return facts;
  }

  static double change_of(const MetricJudgement& judged) {
    return judged.ratio ? std::abs(judged.ratio->value - 1) : 0;
  }

  /// Whether the metric is still worse after this step.
  static bool is_open(const MetricTrend& trend, const stats::TrendStep& step) {
    return step.is_worse && trend.verdict == MetricVerdict::Worse;
  }

  /// The metrics that differ from the base tonight.
  std::string changes() const {
    if (!judgement_) return "";
    std::vector<std::vector<std::string>> rows;
    for (const stats::CaseProblem& problem : judgement_->problems)
      rows.push_back({coloured("failed"), html_text(problem.case_name),
                      html_text(report::problem_text(problem)), "", "", html_text(problem.owner)});
    for (const MetricVerdict verdict : report::kVerdicts)
      for (const MetricJudgement& judged : judgement_->metrics)
        if (judged.verdict == verdict && verdict != MetricVerdict::Same)
          rows.push_back(row_of(judged));
    constexpr std::string_view kHeading = "Tonight, beside the base";
    std::string html = fmt::format("<section id=\"tonight\">\n<h2>{}</h2>\n", kHeading);
    if (rows.empty()) return html + "<p>Everything is the same.</p>\n</section>\n";
    std::string options = "<option value=\"\">all verdicts</option>";
    for (const MetricVerdict verdict : report::kVerdicts)
      if (const std::size_t count = report::count(*judgement_, verdict);
          count > 0 && verdict != MetricVerdict::Same)
        options += fmt::format("<option value=\"{0}\">{0} ({1})</option>",
                               stats::to_string(verdict), count);
    return html +
           fmt::format(
               "<p class=\"picker\"><label>show <select id=\"verdicts\">{}</select></label>"
               "</p>\n",
               options) +
           html_table(kHeading, {"verdict", "case", "metric", "change", "base → changed", "owner"},
                      rows) +
           "</section>\n";
  }

  static std::vector<std::string> row_of(const MetricJudgement& judged) {
    const std::string reason =
        judged.reason.empty() ? ""
                              : "<br><span class=\"soft\">" + html_text(judged.reason) + "</span>";
    return {coloured(stats::to_string(judged.verdict)),
            html_text(judged.case_name),
            "<code>" + html_text(judged.metric.name) + "</code>" + reason,
            html_text(report::effect_text(judged)),
            html_text(report::figures_text(judged)),
            html_text(judged.owner)};
  }

  /// The steps of all trends, the latest first: those that are still worse, and folded the others.
  std::string steps() const {
    struct Found {
      const stats::TrendStep* step;
      std::size_t trend;
    };
    std::vector<Found> found;
    for (std::size_t i = 0; i < trends_.size(); ++i)
      for (const stats::TrendStep& step : trends_[i]->steps)
        found.push_back({&step, i});
    std::ranges::stable_sort(found, std::greater(),
                             [](const Found& one) { return one.step->after; });
    std::vector<std::vector<std::string>> open, closed;
    for (const auto& [step, trend] : found)
      (is_open(*trends_[trend], *step) ? open : closed).push_back(row_of(*step, trend));
    const std::vector<std::string> headings{"step",  "case", "metric", "first seen with",
                                            "after", "chart"};
    std::string html = "<section>\n<h2>Since when</h2>\n";
    html += open.empty() ? std::string("<p>No metric is worse since a step.</p>\n")
                         : html_table("Steps after which a metric is still worse", headings, open);
    if (!closed.empty())
      html += fmt::format("<details><summary>{}</summary>\n{}</details>\n",
                          report::counted_text(closed.size(), "step") +
                              " that improved a metric, or that a later change undid",
                          html_table("Other steps", headings, closed));
    return html + "</section>\n";
  }

  std::vector<std::string> row_of(const stats::TrendStep& step, std::size_t number) const {
    const MetricTrend& trend = *trends_[number];
    const bool is_neutral = trend.metric.better == model::Better::Neither;
    const std::string effect =
        is_neutral ? std::string("changed") : report::effect_text(step.ratio);
    return {fmt::format("<span class=\"{}\">{}</span>",
                        is_neutral      ? "changed"
                        : step.is_worse ? "worse"
                                        : "better",
                        effect),
            html_text(trend.case_name),
            "<code>" + html_text(trend.metric.name) + "</code>",
            html_text(report::commit_text(runs_[step.after])) + ", " +
                report::date_text(runs_[step.after]),
            html_text(report::commit_text(runs_[step.before])),
            fmt::format("<a href=\"#trend={0}\" data-trend=\"{1}\">chart<span class=\"hidden\"> of "
                        "{2}</span></a>",
                        link_of(trend), number, html_text(trend.metric.name))};
  }

  /// The part of a permanent link that names a metric, percent-encoded for an attribute.
  static std::string link_of(const MetricTrend& trend) {
    std::string link;
    for (const char c : trend.case_name + "/" + trend.metric.name) {
      const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
      link += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return link;
  }

  std::string trends() {
    if (trends_.empty()) return "";
    std::string options, sparks;
    for (std::size_t i = 0; i < trends_.size(); ++i) {
      const MetricTrend& trend = *trends_[i];
      data_["trends"].push_back(encode(trend));
      options += fmt::format("<option value=\"{}\">{}: {}</option>\n", i,
                             html_text(trend.case_name), html_text(trend.metric.name));
      sparks += spark_of(trend, i);
    }
    return fmt::format(
        "<section>\n<h2>Trends</h2>\n<div class=\"picker\"><label>find <input "
        "id=\"filter\"></label>"
        "<label>metric <select id=\"metric\">{}</select></label></div>\n"
        "<figure><figcaption id=\"trend-name\"></figcaption><div class=\"chart\" "
        "data-chart=\"trend\" aria-hidden=\"true\"></div><p class=\"note\"></p></figure>\n"
        "<details><summary>{} as small charts</summary>\n<ul class=\"sparks\">\n{}</ul></details>\n"
        "</section>\n",
        options, report::counted_text(trends_.size(), "metric"), sparks);
  }

  /// A link to the chart of a metric, with a small picture of its values.
  std::string spark_of(const MetricTrend& trend, std::size_t number) const {
    double least = 0, most = 0;
    for (const stats::TrendPoint& point : trend.points) {
      const bool is_first = &point == &trend.points.front();
      least = is_first ? point.value : std::min(least, point.value);
      most = is_first ? point.value : std::max(most, point.value);
    }
    std::string path;
    for (std::size_t i = 0; i < trend.points.size(); ++i) {
      const double x = trend.points.size() < 2 ? 50.0
                                               : 100.0 * static_cast<double>(i) /
                                                     static_cast<double>(trend.points.size() - 1);
      const double share = most > least ? (trend.points[i].value - least) / (most - least) : 0.5;
      path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', x, 18 - 16 * share);
    }
    const std::string_view word = stats::to_string(trend.verdict);
    return fmt::format(
        "<li><a href=\"#trend={}\" data-trend=\"{}\">{}: {}<br><span class=\"{}\">{}</span>"
        "<svg viewBox=\"0 0 100 20\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><path "
        "d=\"{}h.1\"/></svg></a></li>\n",
        link_of(trend), number, html_text(trend.case_name), html_text(trend.metric.name), word,
        word, path);
  }

  static Json encode(const MetricTrend& trend) {
    Json json{{"case", trend.case_name},   {"metric", trend.metric.name},
              {"unit", trend.metric.unit}, {"of", to_string(trend.of)},
              {"points", Json::array()},   {"means", Json::array()},
              {"steps", Json::array()}};
    for (const stats::TrendPoint& point : trend.points)
      json["points"].push_back(Json::array({point.run, point.value}));
    // Groups do not count spikes.
    std::size_t kept = 0, group = 0;
    for (std::size_t i = 0; i < trend.points.size(); ++i) {
      if (std::ranges::find(trend.spikes, i) != trend.spikes.end() || trend.groups.empty()) {
        json["means"].push_back(nullptr);
        continue;
      }
      while (group + 1 < trend.groups.size() && kept >= trend.groups[group].end())
        ++group;
      json["means"].push_back(trend.groups[group].mean);
      ++kept;
    }
    for (const stats::TrendStep& step : trend.steps)
      json["steps"].push_back(
          {{"before", step.before}, {"after", step.after}, {"worse", step.is_worse}});
    return json;
  }

  /// The numbers of all variants of a case, in all nights.
  static VariantNumbers numbers_of(const std::vector<NightReport>& nights) {
    std::vector<std::string> names;
    for (const NightReport& night : nights)
      for (const model::VariantResult& variant : night.report.variants)
        if (std::ranges::find(names, variant.name) == names.end()) names.push_back(variant.name);
    return VariantNumbers(names);
  }

  /// The ratio of each variant's figures to the baseline's in the simulated cases, by night: a
  /// chart for each traffic group.
  std::string ratios() {
    std::string html;
    for (const auto& [name, nights] : reports_) {
      using Line = std::vector<std::optional<double>>;
      std::map<std::string, std::map<std::string, Line>> by_traffic;
      Json runs = Json::array();
      for (std::size_t night = 0; night < nights.size(); ++night) {
        runs.push_back(nights[night].run);
        for (const model::Comparison& row : nights[night].report.comparison) {
          if (row.metric != "goodput_bps" || !row.ratio_ppm) continue;
          Line& line = by_traffic[row.traffic][row.variant];
          line.resize(nights.size());
          line[night] = static_cast<double>(*row.ratio_ppm) / 1e6;
        }
      }
      const VariantNumbers numbers = numbers_of(nights);
      std::string charts;
      for (const auto& [traffic, lines] : by_traffic) {
        Json drawn = Json::array();
        std::vector<std::pair<std::string, std::size_t>> names;
        for (const auto& [variant, values] : lines) {
          Json ratios = Json::array();
          for (const auto& value : values)
            ratios.push_back(value ? Json(*value) : Json(nullptr));
          const std::size_t number = numbers.of(variant);
          names.emplace_back(
              values.back() ? fmt::format("{} {}", variant, report::effect_text(*values.back()))
                            : variant,
              number);
          drawn.push_back({{"name", variant}, {"slot", number}, {"ratios", std::move(ratios)}});
        }
        charts += chart("ratios", data_["ratios"].size(), traffic, legend(names));
        data_["ratios"].push_back({{"runs", runs}, {"lines", std::move(drawn)}});
      }
      if (!charts.empty())
        html +=
            fmt::format("<h3>{}</h3>\n<div class=\"charts\">\n{}</div>\n", html_text(name), charts);
    }
    return html.empty() ? ""
                        : "<section>\n<h2>Goodput of overlays over routed pods</h2>\n" + html +
                              "</section>\n";
  }

  /// Tonight's latency distributions, a chart for each case and traffic group.
  std::string latencies() {
    std::string html;
    for (const auto& [name, nights] : reports_) {
      if (&runs_[nights.back().run] != tonight_) continue;
      const VariantNumbers numbers = numbers_of(nights);
      struct Lines {
        Json variants = Json::array();
        std::vector<LatencyRow> rows;
      };
      std::map<std::string, Lines> by_traffic;
      for (const model::VariantResult& variant : nights.back().report.variants)
        for (const model::TrafficResult& traffic : variant.traffic) {
          if (traffic.latency_ns.count() == 0) continue;
          const std::size_t number = numbers.of(variant.name);
          Lines& lines = by_traffic[traffic.name];
          lines.variants.push_back(latency_line(variant.name, number, traffic.latency_ns));
          lines.rows.push_back({variant.name, number, &traffic.latency_ns});
        }
      std::string charts;
      for (auto& [traffic, lines] : by_traffic) {
        charts += chart("latency", data_["latency"].size(), traffic,
                        latency_table("Latency of " + traffic, lines.rows));
        data_["latency"].push_back({{"variants", std::move(lines.variants)}});
      }
      if (!charts.empty())
        html += fmt::format(
            "<details><summary>{}</summary>\n<div class=\"charts\">\n{}</div></details>\n",
            html_text(name), charts);
    }
    return html.empty() ? ""
                        : fmt::format(
                              "<section>\n<h2>Latency, tonight</h2>\n<p class=\"soft\">{}</p>\n"
                              "{}</section>\n",
                              kLatencyNote, html);
  }

  /// The switches that were simulated tonight: a heat map of strategies and connections.
  std::string switches() const {
    std::string html;
    for (const CaseRun& one : tonight_->cases) {
      const Json document = Json::parse(one.document, nullptr, false);
      if (document.is_discarded() || document.value("kind", "") != "Migration") continue;
      try {
        html += fmt::format("<h3>{}</h3>\n", html_text(one.name)) +
                section_html({.heading = "", .blocks = {outage_heat_map(document)}});
      } catch (const Json::exception&) {  // Another version of the program wrote it.
        html +=
            fmt::format("<h3>{}</h3>\n<p>Its result cannot be read.</p>\n", html_text(one.name));
      }
    }
    return html.empty() ? ""
                        : "<section>\n<h2>Switches</h2>\n<p class=\"soft\">The longest outage of "
                          "connections between nodes, in the worst run.</p>\n" +
                              html + "</section>\n";
  }

  std::string environment() const {
    std::vector<std::vector<std::string>> more;
    if (const auto yardsticks = stats::yardsticks_of(*tonight_))
      more.push_back(
          {"yardsticks", fmt::format("{:.2f} ns of computing, {:.1f} ns of memory per step",
                                     yardsticks->compute_ns, yardsticks->memory_ns)});
    return environment_section(tonight_->environment, HostRole::Measured, more);
  }

  const std::vector<SuiteRun>& runs_;
  std::vector<const MetricTrend*> trends_;  ///< In the order of the page: by rank_of().
  const std::optional<stats::Judgement>& judgement_;
  const SuiteRun* tonight_;
  const SuiteRun* base_;  ///< The base that judges tonight's run, or nullptr.
  std::map<std::string, std::vector<NightReport>> reports_;
  Json data_ = Json::object();
};

}  // namespace

std::string suite_page(const SuiteHistory& history) {
  return SuitePage(history).write();
}

}  // namespace overlane::pages
