#include "results/pages/suite_page.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/model/run_report_json.h"
#include "results/pages/page.h"
#include "results/report/judgement_text.h"
#include "results/report/run_table.h"
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
        trends_(history.trends),
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
  }

  std::string write() {
    std::string body =
        head() + changes() + trends() + ratios() + latencies() + switches() + environment();
    return html_page(fmt::format("{} {}", tonight_->suite, report::date_text(*tonight_)), body,
                     data_);
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

  std::string head() const {
    std::string verdict = "<span class=\"soft\">no base to judge by</span>";
    if (judgement_) {
      // "regression: 1 worse, 40 same".
      const std::string text = report::verdict_text(*judgement_);
      const std::string word = text.substr(0, text.find(':'));
      verdict = fmt::format("<span class=\"verdict {0}\">{0}</span> {1}", word,
                            html_text(text.substr(word.size() + 2)));
    }
    return fmt::format("<h1>{}</h1>\n<p>{}</p>\n<p class=\"soft\">commit {}, {} UTC{}</p>\n",
                       html_text(tonight_->suite), verdict,
                       html_text(report::commit_text(*tonight_)), report::time_text(*tonight_),
                       base_ == nullptr
                           ? std::string()
                           : ", beside base " + html_text(report::commit_text(*base_)));
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
    std::string html = "<h2>Tonight, beside the base</h2>\n";
    if (rows.empty()) return html + "<p>Everything is the same.</p>\n";
    return html +
           html_table({"verdict", "case", "metric", "change", "base → changed", "owner"}, rows);
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

  std::string trends() {
    std::vector<std::vector<std::string>> rows;
    std::string options;
    for (std::size_t i = 0; i < trends_.size(); ++i) {
      const MetricTrend& trend = trends_[i];
      data_["trends"].push_back(encode(trend));
      options += fmt::format("<option value=\"{}\">{}: {}</option>\n", i,
                             html_text(trend.case_name), html_text(trend.metric.name));
      for (const stats::TrendStep& step : trend.steps)
        rows.push_back(row_of(trend, step, i));
    }
    std::string html = "<h2>Since when</h2>\n";
    html += rows.empty()
                ? std::string("<p>No step in any metric.</p>\n")
                : html_table({"step", "case", "metric", "first seen with", "after", ""}, rows);
    if (trends_.empty()) return html;
    return html + fmt::format(
                      "<div class=\"picker\"><input id=\"filter\" placeholder=\"filter\" "
                      "aria-label=\"filter metrics\"><select id=\"metric\" aria-label=\"metric\">"
                      "{}</select></div>\n<div class=\"chart\" data-chart=\"trend\"></div>\n"
                      "<p class=\"note\" id=\"trend-note\"></p>\n",
                      options);
  }

  std::vector<std::string> row_of(const MetricTrend& trend, const stats::TrendStep& step,
                                  std::size_t number) const {
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
            fmt::format("<a href=\"#metric\" data-trend=\"{}\">chart</a>", number)};
  }

  static Json encode(const MetricTrend& trend) {
    Json json{{"metric", trend.metric.name}, {"unit", trend.metric.unit},
              {"of", to_string(trend.of)},   {"points", Json::array()},
              {"means", Json::array()},      {"steps", Json::array()}};
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

  /// The ratio of each variant's figures to the baseline's in the simulated cases, by night.
  std::string ratios() {
    std::string html;
    for (const auto& [name, nights] : reports_) {
      std::map<std::string, std::vector<std::optional<double>>> lines;
      Json runs = Json::array();
      for (std::size_t night = 0; night < nights.size(); ++night) {
        runs.push_back(nights[night].run);
        for (const model::Comparison& row : nights[night].report.comparison) {
          if (row.metric != "goodput_bps" || !row.ratio_ppm) continue;
          auto& line = lines[fmt::format("{} / {}: {}", row.variant, row.baseline, row.traffic)];
          line.resize(nights.size());
          line[night] = static_cast<double>(*row.ratio_ppm) / 1e6;
        }
      }
      if (lines.empty()) continue;
      Json drawn = Json::array();
      for (const auto& [label, values] : lines) {
        Json ratios = Json::array();
        for (const auto& value : values)
          ratios.push_back(value ? Json(*value) : Json(nullptr));
        drawn.push_back({{"label", label}, {"ratios", std::move(ratios)}});
      }
      html +=
          fmt::format("<h3>{}</h3>\n", html_text(name)) + chart("ratios", data_["ratios"].size());
      data_["ratios"].push_back({{"runs", std::move(runs)}, {"lines", std::move(drawn)}});
    }
    return html.empty() ? "" : "<h2>Overlay over routed: goodput</h2>\n" + html;
  }

  /// Tonight's latency distributions, a chart for each case and traffic group.
  std::string latencies() {
    std::string html;
    for (const auto& [name, nights] : reports_) {
      if (&runs_[nights.back().run] != tonight_) continue;
      std::map<std::string, Json> by_traffic;
      for (const model::VariantResult& variant : nights.back().report.variants)
        for (const model::TrafficResult& traffic : variant.traffic)
          if (traffic.latency_ns.count() > 0)
            by_traffic[traffic.name].push_back(latency_line(variant.name, traffic.latency_ns));
      for (auto& [traffic, variants] : by_traffic) {
        html += fmt::format("<h3>{}: {}</h3>\n", html_text(name), html_text(traffic)) +
                chart("latency", data_["latency"].size());
        data_["latency"].push_back({{"variants", std::move(variants)}});
      }
    }
    return html.empty() ? ""
                        : "<h2>Latency</h2>\n<p class=\"soft\">The share of packets that took at "
                          "most as long, tonight.</p>\n" +
                              html;
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
                        : "<h2>Switches</h2>\n<p class=\"soft\">The longest outage of connections "
                          "between nodes, in the worst run.</p>\n" +
                              html;
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
  const std::vector<MetricTrend>& trends_;
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
