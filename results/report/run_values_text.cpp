#include "results/report/run_values_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "results/finding/one_line.h"
#include "results/report/formats/csv.h"
#include "results/report/judgement_phrases.h"
#include "results/report/run_names.h"
#include "results/report/text.h"
#include "results/stats/judge.h"

namespace overlane::report {
namespace {

using model::CaseRun;
using model::SuiteRun;

using Cell = std::vector<std::pair<std::string, std::string>>;

/// The names and values in the name of a cell: "runs/nodes=10/seed=1".
Cell cell_of(const std::string& case_name) {
  Cell cell;
  for (std::size_t at = case_name.find('/'); at != std::string::npos;) {
    const std::size_t end = case_name.find('/', at + 1);
    const std::string part =
        case_name.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    if (const std::size_t equals = part.find('='); equals != std::string::npos)
      cell.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    at = end;
  }
  return cell;
}

std::string plain(const std::optional<model::Figure>& figure) {
  if (!figure) return "";
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, *figure);
}

}  // namespace

std::string run_values_text(const SuiteRun& run, Style style) {
  std::string text =
      heading_text(fmt::format("{}: {} of {}, {}", run.suite, commit_text(run), time_text(run),
                               counted_text(run.cases.size(), "case")),
                   style) +
      '\n';
  for (const CaseRun& one : run.cases) {
    text += '\n' + heading_text(one_line(one.name), style) + '\n';
    if (one.status != model::CaseStatus::Complete)
      text += wrapped("  ", fmt::format("{}: {}", to_string(one.status), one.reason), 80);
    for (const model::MeasuredMetric& measured : one.metrics) {
      const std::string unit = measured.metric.unit.empty() ? "" : " " + measured.metric.unit;
      text += fmt::format("  {}  {}{}\n", one_line(measured.metric.name),
                          figure_text(stats::middle_of(measured)), unit);
    }
  }
  return text;
}

std::string run_values_csv(const SuiteRun& run) {
  std::vector<std::string> names;
  for (const CaseRun& one : run.cases)
    for (const auto& [name, value] : cell_of(one.name))
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  std::vector<std::string> head{"case"};
  head.insert(head.end(), names.begin(), names.end());
  head.insert(head.end(), {"status", "metric", "value", "unit"});
  std::string csv = csv_record(head);
  for (const CaseRun& one : run.cases) {
    const Cell cell = cell_of(one.name);
    std::vector<std::string> start{one.name};
    for (const std::string& name : names) {
      const auto found = std::ranges::find(cell, name, &Cell::value_type::first);
      start.push_back(found == cell.end() ? "" : found->second);
    }
    start.emplace_back(to_string(one.status));
    const auto add = [&](const std::string& metric, const std::string& value,
                         const std::string& unit) {
      std::vector<std::string> record = start;
      record.insert(record.end(), {metric, value, unit});
      csv += csv_record(record);
    };
    if (one.metrics.empty()) add("", "", "");
    for (const model::MeasuredMetric& measured : one.metrics)
      add(measured.metric.name, plain(stats::middle_of(measured)), measured.metric.unit);
  }
  return csv;
}

}  // namespace overlane::report
