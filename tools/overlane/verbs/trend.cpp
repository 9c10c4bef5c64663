#include "results/stats/trend.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/text.h"
#include "results/report/judgement_text.h"
#include "results/stats/judge_json.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/suite_runs.h"

namespace overlane::command {
namespace {

struct TrendOptions {
  HistoryOptions history;
  std::string case_name = "*";
  std::string metric = "*";
  bool all = false;
  OutputOptions output;
};

ExitCode trend(const TrendOptions& options) {
  const auto runs = load_history(options.history);
  if (!runs) return runs.error();
  std::vector<stats::MetricTrend> trends = stats::find_trends(*runs);
  std::erase_if(trends, [&](const stats::MetricTrend& one) {
    return !matches_pattern(one.case_name, options.case_name) ||
           !matches_pattern(one.metric.name, options.metric);
  });
  const ExitCode written =
      options.output.format == Format::Json
          ? write_json(options.output, stats::encode(trends, *runs))
          : write_text(options.output, report::trend_text(*runs, trends, options.all,
                                                          output_style(options.output)));
  if (written != ExitCode::Clean) return written;
  const bool any_worse =
      std::ranges::count(trends, stats::MetricVerdict::Worse, &stats::MetricTrend::verdict) > 0;
  return any_worse ? ExitCode::Finding : ExitCode::Clean;
}

}  // namespace

void add_trend(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<TrendOptions>();
  CLI::App* verb = program.add_subcommand(
      "trend", "Find since which commit a metric of a suite is what it is; worse is exit code 1");
  add_history_options(*verb, options->history);
  verb->add_option("--case", options->case_name, "Only cases with such names; * is a wildcard")
      ->type_name("NAME");
  verb->add_option("--metric", options->metric, "Only metrics with such names; * is a wildcard")
      ->type_name("NAME");
  verb->add_flag("--all", options->all, "Print metrics without a change, too");
  add_output_options(*verb, options->output);
  verb->callback([options, &chosen] { chosen = [options] { return trend(*options); }; });
}

}  // namespace overlane::command
