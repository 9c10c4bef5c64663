#include "results/stats/trend.h"

#include <algorithm>
#include <fnmatch.h>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/report/trend_text.h"
#include "results/stats/trend_json.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/suites/store_file.h"

namespace overlane::command {
namespace {

using model::SuiteRun;

struct TrendOptions {
  std::string store;
  std::string suite;
  std::string case_name = "*";
  std::string metric = "*";
  std::uint32_t last = 60;
  bool all = false;
  OutputOptions output;
};

/// The complete runs of one suite, the latest `last` and the bases they were measured beside.
Result<std::vector<SuiteRun>, ExitCode> load_runs(const TrendOptions& options) {
  const auto refuse = [](const std::string& why) {
    print_error(why);
    return fail(ExitCode::NoInput);
  };
  const auto store = open_store(options.store, store::Store::Use::Read);
  if (!store) return fail(store.error());
  auto known = store->runs({.suite = options.suite, .commit = "", .complete = true});
  if (!known) return refuse(known.error());
  if (known->empty())
    return refuse(fmt::format("{}: no complete run{}", store_file(options.store),
                              options.suite.empty() ? "" : " of suite " + options.suite));
  const std::string suite = known->back().suite;
  std::erase_if(*known, [&](const SuiteRun& run) { return run.suite != suite; });
  std::uint32_t left = options.last;
  std::vector<SuiteRun> runs;
  for (const SuiteRun& run : *known | std::views::reverse) {
    if (run.purpose == model::RunPurpose::Noise) continue;
    if (run.purpose == model::RunPurpose::Judged && left-- == 0) break;
    auto loaded = store->load(run.id);
    if (!loaded) return refuse(loaded.error());
    runs.push_back(*std::move(loaded));
  }
  std::ranges::reverse(runs);
  return runs;
}

ExitCode trend(const TrendOptions& options) {
  const auto runs = load_runs(options);
  if (!runs) return runs.error();
  std::vector<stats::MetricTrend> trends = stats::find_trends(*runs);
  std::erase_if(trends, [&](const stats::MetricTrend& one) {
    return fnmatch(options.case_name.c_str(), one.case_name.c_str(), 0) != 0 ||
           fnmatch(options.metric.c_str(), one.metric.name.c_str(), 0) != 0;
  });
  const ExitCode written =
      options.output.format == Format::Json
          ? write_json(options.output, stats::encode(trends, *runs))
          : write_text(options.output, report::trend_text(*runs, trends, options.all,
                                                          output_style(options.output)));
  if (written != ExitCode::Clean) return written;
  const bool any_worse =
      std::ranges::count(trends, stats::Verdict::Worse, &stats::MetricTrend::verdict) > 0;
  return any_worse ? ExitCode::Finding : ExitCode::Clean;
}

}  // namespace

void add_trend(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<TrendOptions>();
  CLI::App* verb = program.add_subcommand(
      "trend", "Find since which commit a metric of a suite is what it is; worse is exit code 1");
  add_store_option(*verb, options->store);
  verb->add_option("--suite", options->suite, "The suite (default: that of the latest run)")
      ->type_name("NAME");
  verb->add_option("--case", options->case_name, "Only cases with such names; * is a wildcard")
      ->type_name("NAME");
  verb->add_option("--metric", options->metric, "Only metrics with such names; * is a wildcard")
      ->type_name("NAME");
  verb->add_option("--last", options->last, "How many runs to look back at")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000));
  verb->add_flag("--all", options->all, "Print metrics without a change, too");
  add_output_options(*verb, options->output);
  verb->callback([options, &chosen] { chosen = [options] { return trend(*options); }; });
}

}  // namespace overlane::command
