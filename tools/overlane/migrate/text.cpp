#include "tools/overlane/migrate/text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/text.h"
#include "scenarios/migration/observe/interrupted_share.h"
#include "scenarios/migration/operator_steps.h"
#include "tools/overlane/migrate/phrases.h"

namespace overlane::command {
namespace {

using migration::ClassResult;
using migration::Evaluation;
using migration::Loaded;
using migration::Sensitivity;
using migration::StrategyResult;
using migration::Verdict;

constexpr std::size_t kCommandWidth = 78;
constexpr std::uint32_t kTimeColumns = 60;

std::string head(const migration::Assessment& assessment) {
  const Loaded& loaded = assessment.loaded();
  const StrategyResult& best = assessment.best();
  std::string text = report::wrapped_line("verdict: ", assessment.headline()) + "\n";
  text += report::wrapped_line(
      "", fmt::format("{}: {}.", switch_text(loaded), outages_text(loaded, best)));
  for (const std::string& blocker : best.blockers)
    text += report::wrapped_line("blocker: ", blocker);
  for (const std::string& unknown : best.unknowns)
    text += report::wrapped_line("hazard: ", unknown);
  return text;
}

/// A word of a command, broken where it is JSON and too long for the column: in quotes, and between
/// tokens, a line break is nothing to the shell and to JSON.
std::string word_text(std::string_view word, std::size_t column) {
  std::string text;
  while (word.starts_with('\'') || !text.empty()) {
    if (column + word.size() <= kCommandWidth) break;
    const std::size_t end = word.find_last_of(",:{", kCommandWidth - column - 1);
    if (end == std::string_view::npos) break;
    text += fmt::format("{}\n     ", word.substr(0, end + 1));
    word.remove_prefix(end + 1);
    column = 5;
  }
  return text + std::string(word);
}

/// A command for a shell, broken where it is too long.
std::string command_text(const std::string& command) {
  constexpr std::string_view kBreak = " \\\n";
  std::string text = "   ";
  std::size_t column = text.size();
  for (std::size_t at = 0; at < command.size();) {
    const std::size_t end = std::min(command.find(' ', at), command.size());
    const std::string word = command.substr(at, end - at);
    if (column > 3 && column + 1 + word.size() > kCommandWidth) {
      text += kBreak;
      text += "    ";
      column = 4;
    }
    text += " " + word_text(word, column + 1);
    column = text.size() - (text.rfind('\n') + 1);
    at = end + 1;
  }
  return text + "\n";
}

std::string recommended(const Loaded& loaded, const Evaluation& evaluation, report::Style style) {
  const migration::Strategy& strategy = *evaluation.best().strategy;
  const bool is_blocked = evaluation.best().verdict == Verdict::NoGo;
  std::string text =
      report::heading_text(
          fmt::format("{}: {}",
                      is_blocked ? "do not switch; the best order otherwise" : "recommended",
                      strategy.name),
          style) +
      "\n";
  std::size_t number = 0;
  for (const migration::OperatorStep& step :
       operator_steps(loaded, strategy, evaluation.best().conditions)) {
    const std::string wait =
        step.wait_for.empty() ? "" : fmt::format(" Go on when {}.", step.wait_for);
    text += report::wrapped_line(fmt::format("{}. ", ++number), step.action + wait);
    for (const std::string& command : step.commands)
      text += command_text(command);
  }
  return text;
}

std::string strategies(const Evaluation& evaluation, report::Style style) {
  std::vector<std::string> columns{"verdict"};
  for (const ClassResult& of : evaluation.best().classes)
    columns.push_back(of.which == migration::PairClass::WithinZone ? "outage in zones"
                                                                   : "across zones");
  columns.push_back("affected");
  report::ColumnTable table(columns);
  bool any_gated = false;
  for (const StrategyResult& result : evaluation.strategies) {
    std::vector<std::string> cells{std::string(to_string(result.worst()))};
    std::uint64_t affected = 0;
    std::uint64_t all = 0;
    for (const ClassResult& of : result.classes) {
      cells.push_back(outage_cell(of));
      affected += of.affected;
      all += of.connections;
    }
    cells.push_back(fmt::format("{} of {}", affected, all));
    const bool is_gated = result.strategy->availability == migration::Availability::FeatureGate;
    any_gated |= is_gated;
    table.row(fmt::format("{}{}", result.strategy->name, is_gated ? " *" : ""), std::move(cells));
  }
  return table.to_string(style) + (any_gated ? "  * behind a feature gate\n" : "");
}

/// A character for a share of pairs.
char level(std::uint32_t ppm) {
  if (ppm == 0) return ' ';
  if (ppm < 250'000) return '.';
  if (ppm < 500'000) return ':';
  return ppm < 750'000 ? '+' : '#';
}

/// The recommended strategy over time.
std::string over_time(const Loaded& loaded, const Evaluation& evaluation, report::Style style) {
  const auto& outages = evaluation.best().course.outages;
  if (outages.empty()) return "";
  const migration::TimeColumns columns = migration::time_columns(outages, kTimeColumns);
  std::string text =
      report::heading_text(fmt::format("interrupted, {} to {} after the change of the Shoot",
                                       seconds_text(columns.begin), seconds_text(columns.end())),
                           style) +
      "\n";
  for (const auto& [which, share] :
       share_by_class(outages, loaded.zones, columns, evaluation.best().course.presence)) {
    text += fmt::format("  {:<14}|", to_string(which));
    for (const std::uint32_t ppm : share)
      text += level(ppm);
    text += "|\n";
  }
  return text + "  pairs of nodes: . below 25 %, : below 50 %, + below 75 %, # more\n\n";
}

/// Of the recommended strategy, in its first run.
std::string other_traffic(const Evaluation& evaluation, report::Style style) {
  report::ColumnTable table({"affected", "longest outage"}, "other traffic");
  std::vector<std::string_view> uninterrupted;
  for (const migration::TrafficResult& of : evaluation.best().other_traffic) {
    const bool is_listed = !uninterrupted.empty() && uninterrupted.back() == of.group;
    if (of.affected == 0) {
      if (!is_listed) uninterrupted.push_back(of.group);
      continue;
    }
    table.row(fmt::format("{}{}", of.name, of.is_possible_only ? ", possibly" : ""),
              {fmt::format("{} of {}", of.affected, of.pairs), outage_cell(of)});
    if (is_listed) uninterrupted.pop_back();
  }
  std::string text =
      table.empty() ? report::heading_text("other traffic", style) + "\n" : table.to_string(style);
  if (!uninterrupted.empty())
    text += report::wrapped_line("  not interrupted: ",
                                 fmt::format("{}", fmt::join(uninterrupted, ", ")));
  return text + "\n";
}

std::string uncertain(const Evaluation& evaluation, report::Style style) {
  report::ColumnTable table({"assumed", "plausible", "longest outage"}, "least certain");
  for (const Sensitivity& one : least_certain(evaluation))
    table.row(one.assumption.parameter,
              {one.assumption.value, one.assumption.range, ends_text(one)});
  if (!table.empty()) return table.to_string(style);
  return report::heading_text("least certain", style) +
         "\n  no uncertain parameter changes the outage\n";
}

std::string leftovers(const Evaluation& evaluation, report::Style style) {
  if (evaluation.leftovers.empty()) return "";
  std::string text = "\n" + report::heading_text("afterwards", style) + "\n";
  for (const migration::Leftover& leftover : evaluation.leftovers)
    text += report::wrapped_line("  ", fmt::format("{}: {}.", leftover.what, leftover.remedy));
  return text;
}

}  // namespace

std::string migration_text(const migration::Assessment& assessment, report::Style style) {
  const Loaded& loaded = assessment.loaded();
  const Evaluation& evaluation = assessment.decisive.evaluation;
  return head(assessment) + "\n" + recommended(loaded, evaluation, style) + "\n" +
         strategies(evaluation, style) + "\n" + other_traffic(evaluation, style) +
         uncertain(evaluation, style) + leftovers(evaluation, style);
}

std::string migration_steps(const migration::Assessment& assessment, report::Style style) {
  const Loaded& loaded = assessment.loaded();
  const Evaluation& evaluation = assessment.decisive.evaluation;
  std::string text = over_time(loaded, evaluation, style);
  for (const migration::Step& step : evaluation.best().course.steps)
    text += fmt::format("{:>9} {}: {}\n", seconds_text(step.at), step.component, step.what);
  return text;
}

}  // namespace overlane::command
