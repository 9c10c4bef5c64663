#include "results/report/run_markdown.h"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/model/run_report_json.h"
#include "results/model/traffic_figures.h"
#include "results/report/formats/markdown.h"
#include "results/report/run_effects.h"
#include "results/report/run_names.h"
#include "results/report/run_notes.h"
#include "results/report/run_summary.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {
namespace markdown {

using model::RunReport;
using model::TrafficResult;
using model::Variant;
using Row = std::vector<std::string>;

/// A table of cells that are Markdown already.
std::string table(const Row& headings, const std::vector<Row>& rows) {
  std::string text = fmt::format("| {} |\n|", fmt::join(headings, " | "));
  for (std::size_t i = 0; i < headings.size(); ++i)
    text += "---|";
  text += '\n';
  for (const Row& row : rows)
    text += fmt::format("| {} |\n", fmt::join(row, " | "));
  return text;
}

std::string section(std::string_view title, const std::string& content) {
  return content.empty() ? "" : fmt::format("\n## {}\n\n{}", title, content);
}

const TrafficResult* find(const Variant& variant, const std::string& name) {
  const auto found = std::ranges::find(variant.traffic, name, &TrafficResult::name);
  return found == variant.traffic.end() ? nullptr : &*found;
}

std::vector<std::string> groups_of(const RunReport& report) {
  std::vector<std::string> names;
  for (const Variant& variant : report.variants)
    for (const TrafficResult& result : variant.traffic)
      if (std::ranges::find(names, result.name) == names.end()) names.push_back(result.name);
  return names;
}

std::string amount(std::string_view metric, std::int64_t value) {
  if (metric.ends_with("_bps")) return rate_text(value);
  return metric.starts_with("latency") ? duration_text(value) : count_text(value);
}

/// " (-18.3 to -32.2 %)": the change against the baseline.
std::string change(const RunReport& report, const Variant& variant, const std::string& traffic,
                   std::string_view metric) {
  for (const model::Comparison& row : report.comparison)
    if (row.traffic == traffic && row.metric == metric && row.variant == variant.name)
      return row.ratio_ppm ? fmt::format(" ({})", change_text(row)) : "";
  return "";
}

/// A row with a cell for each variant, unless all are empty.
void add_row(std::vector<Row>& rows, const RunReport& report, const std::string& group,
             const std::string& label,
             const std::function<std::string(const Variant&, const TrafficResult&)>& cell) {
  Row row{markdown_text(group), label};
  bool any = false;
  for (const Variant& variant : report.variants) {
    const TrafficResult* result = find(variant, group);
    row.push_back(result == nullptr ? "" : cell(variant, *result));
    any |= !row.back().empty();
  }
  if (any) rows.push_back(std::move(row));
}

std::string figures(const RunReport& report) {
  std::vector<Row> rows;
  for (const std::string& group : groups_of(report)) {
    const std::string name = stays_in_one_zone(report, group) ? group + " (one zone)" : group;
    for (const model::TrafficFigure& figure : model::kTrafficFigures)
      add_row(rows, report, group, metric_label(std::string(figure.name)),
              [&](const Variant& variant, const TrafficResult& result) -> std::string {
                const std::int64_t value = figure.value(result);
                if (!figure.is_of(result) || (value == 0 && figure.zero_is_none)) return "";
                return amount(figure.name, value) + change(report, variant, group, figure.name);
              });
    for (const DropFacts& reason : kDrops)
      add_row(rows, report, group, fmt::format("dropped, {}", reason.name),
              [&](const Variant&, const TrafficResult& result) {
                const std::int64_t count = result.drops[reason.drop];
                return count == 0 ? std::string() : count_text(count);
              });
    add_row(rows, report, group, "flows interrupted",
            [](const Variant&, const TrafficResult& result) -> std::string {
              if (!result.interruptions) return "";
              return fmt::format("{} of {}, up to {}", result.interruptions->interrupted,
                                 result.interruptions->flows,
                                 duration_text(result.interruptions->longest_ns.max()));
            });
    for (Row& row : rows)
      if (row.front() == markdown_text(group)) row.front() = markdown_text(name);
  }
  Row headings{"traffic", "figure"};
  for (const Variant& variant : report.variants)
    headings.push_back(markdown_text(variant.name));
  return rows.empty() ? "" : table(headings, rows);
}

std::string limits(const RunReport& report) {
  std::vector<Row> rows;
  for (const Variant& variant : report.variants)
    for (const model::Limit& limit : variant.limits)
      rows.push_back({markdown_text(variant.name), markdown_text(limit.traffic),
                      std::to_string(limit.flow), markdown_text(limit.station),
                      markdown_text(limit.constant), markdown_text(limit.source)});
  return rows.empty()
             ? ""
             : table({"variant", "traffic", "flow", "limited by", "its constant", "source"}, rows);
}

std::string findings(const RunReport& report) {
  std::string text;
  for (const Finding& finding : report.findings)
    text += fmt::format("- {}: {} ({}){}\n", to_string(finding.severity),
                        markdown_text(finding.message), finding.rule,
                        finding.hint.empty() ? "" : "; " + markdown_text(finding.hint));
  return text;
}

std::string assumptions(const RunReport& report) {
  std::vector<Row> rows;
  for (const model::Assumption& one : report.assumptions)
    rows.push_back({markdown_text(one.parameter), markdown_text(one.value),
                    markdown_text(one.range), markdown_text(one.source)});
  return rows.empty() ? "" : table({"parameter", "value", "could be", "source"}, rows);
}

}  // namespace markdown
}  // namespace

std::string origin_text(const model::RunReport& report) {
  const bool is_simulated = report.executor == model::Executor::Sim;
  std::string text = is_simulated ? "Simulated" : "Measured";
  if (!report.shoot.empty()) text += " for shoot " + report.shoot;
  if (report.environment.started_ms != 0)
    text += ", " + time_text(report.environment.started_ms) + " UTC";
  return text + (is_simulated ? ". Nothing here was measured in a cluster." : ".");
}

std::string run_markdown(const model::RunReport& report) {
  std::string text = fmt::format("# {}\n\n{}\n\n", markdown_text(report.scenario),
                                 markdown_text(origin_text(report)));
  for (const std::string& sentence : verdict_texts(report))
    text += fmt::format("- {}\n", markdown_text(sentence));
  if (const std::string certainty = certainty_text(report); !certainty.empty())
    text += fmt::format("\n{}\n", markdown_text(certainty));
  return text + markdown::section("Figures", markdown::figures(report)) +
         markdown::section("Limited by", markdown::limits(report)) +
         markdown::section("Findings", markdown::findings(report)) +
         markdown::section("Assumed (no given document says so)", markdown::assumptions(report)) +
         fmt::format("\nseed {}, cost profile {}, result hash {}\n", report.seed,
                     markdown_text(report.cost_profile), model::result_hash(report));
}

}  // namespace overlane::report
