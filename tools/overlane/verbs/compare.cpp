#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/text.h"
#include "results/pages/suite_page.h"
#include "results/report/csv.h"
#include "results/report/judgement_text.h"
#include "results/stats/judge.h"
#include "results/stats/judge_json.h"
#include "results/stats/trend.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/suite_runs.h"
#include "topologies/library/library.h"

namespace overlane::command {
namespace {

struct CompareOptions {
  std::vector<std::string>
      runs;  ///< The base and the changed run, or one run that is compared with its own base.
  std::string store;
  OutputOptions output;
  std::string junit;
  std::string openmetrics;
  std::vector<std::string> limits;
  bool all = false;
};

ExitCode write(const report::JudgedRuns& runs, const CompareOptions& options) {
  switch (options.output.format) {
    case Format::Json:
      return write_json(options.output, stats::encode(runs.judgement, runs.base, runs.changed));
    case Format::Csv:
      return write_text(options.output, report::rows_csv(stats::encode(runs.judgement, runs.base,
                                                                       runs.changed)["metrics"]));
    case Format::Markdown:
      return write_text(options.output, report::judgement_markdown(runs));
    default:
      return write_text(options.output,
                        report::judgement_text(runs, options.all, output_style(options.output)));
  }
}

struct Pair {
  model::SuiteRun base, changed;
};

Result<Pair, ExitCode> find_pair(const CompareOptions& options) {
  auto first = find_run(options.runs.front(), options.store);
  if (!first) return fail(first.error());
  if (options.runs.size() == 2) {
    auto changed = find_run(options.runs.back(), options.store, first->suite);
    if (!changed) return fail(changed.error());
    return Pair{*std::move(first), *std::move(changed)};
  }
  if (first->beside.empty())
    return fail(end_with(ExitCode::NoInput,
                         first->id +
                             ": was not measured beside a base; name a base before it, or measure "
                             "both builds with `overlane bench SUITE --against DIR`"));
  auto base = find_run(first->beside, options.store);
  if (!base) return fail(base.error());
  return Pair{*std::move(base), *std::move(first)};
}

/// Whether the argument names manifests instead of a run.
bool names_manifests(const std::string& text) {
  constexpr std::size_t kHead = 65536;
  std::error_code ignored;
  if (std::filesystem::is_directory(text, ignored)) return true;
  if (!std::filesystem::is_regular_file(text, ignored))
    return topology_library::has_manifests(text);
  std::string head(kHead, '\0');
  std::ifstream file(text, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.find(".gardener.cloud/") != head.npos;
}

ExitCode compare(const CompareOptions& options) {
  if (std::ranges::any_of(options.runs, names_manifests))
    return end_with(ExitCode::Usage,
                    "compare judges runs of a suite; `overlane explain OLD --compare-to NEW` "
                    "compares manifests");
  const auto pair = find_pair(options);
  if (!pair) return pair.error();
  const auto& [base, changed] = *pair;
  // Runs from files can be judged without a store.
  std::error_code ignored;
  std::optional<store::Store> store;
  if (std::filesystem::exists(store_file(options.store), ignored)) {
    auto opened = open_store(options.store, store::Store::Use::Read);
    if (!opened) return opened.error();
    store = *std::move(opened);
  }
  const auto limits = limits_for(changed, options.limits, store ? &*store : nullptr);
  if (!limits) return end_with(ExitCode::Usage, limits.error());
  const stats::Judgement judgement = stats::judge(base, changed, *limits);
  const report::JudgedRuns runs{base, changed, judgement};
  ExitCode written = ExitCode::Clean;
  if (!options.junit.empty()) written = write_text(options.junit, report::judgement_junit(runs));
  if (written == ExitCode::Clean && !options.openmetrics.empty())
    written = write_text(options.openmetrics, report::judgement_openmetrics(runs));
  if (written == ExitCode::Clean) written = write(runs, options);
  if (written != ExitCode::Clean) return written;
  return judgement.any_regression() ? ExitCode::Finding : ExitCode::Clean;
}

}  // namespace

void add_compare(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<CompareOptions>();
  verb->add_option("RUN", options->runs,
                   std::string("The base, then the run to judge; or only that, if it was measured "
                               "beside a base. Each is ") +
                       kRunReferenceHelp)
      ->type_name("")
      ->required()
      ->expected(1, 2);
  add_store_option(*verb, options->store);
  add_limit_option(*verb, options->limits);
  add_output_options(*verb, options->output, ResultShape::Report);
  verb->add_flag("--all", options->all, "Print metrics that are the same, too")
      ->excludes("--output");
  verb->add_option("--junit", options->junit, "Also write the verdicts as JUnit XML")
      ->type_name("FILE");
  verb->add_option("--openmetrics", options->openmetrics,
                   "Also write the figures as OpenMetrics, for a textfile collector")
      ->type_name("FILE");
  verb->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

namespace {

struct TrendOptions {
  HistoryOptions history;
  std::string case_name = "*";
  std::string metric = "*";
  bool all = false;
  OutputOptions output;
};

ExitCode write(const std::vector<stats::MetricTrend>& trends,
               const std::vector<model::SuiteRun>& runs, const TrendOptions& options) {
  switch (options.output.format) {
    case Format::Json:
      return write_json(options.output, stats::encode(trends, runs));
    case Format::Csv:
      return write_text(options.output, report::rows_csv(stats::encode(trends, runs).at("trends")));
    default:
      return write_text(options.output, report::trend_text(runs, trends, options.all,
                                                           output_style(options.output)));
  }
}

ExitCode trend(const TrendOptions& options) {
  const auto runs = load_history(options.history);
  if (!runs) return runs.error();
  std::vector<stats::MetricTrend> trends = stats::find_trends(*runs);
  std::erase_if(trends, [&](const stats::MetricTrend& one) {
    return !matches_pattern(one.case_name, options.case_name) ||
           !matches_pattern(one.metric.name, options.metric);
  });
  const ExitCode written = write(trends, *runs, options);
  if (written != ExitCode::Clean) return written;
  const bool any_worse =
      std::ranges::count(trends, stats::MetricVerdict::Worse, &stats::MetricTrend::verdict) > 0;
  return any_worse ? ExitCode::Finding : ExitCode::Clean;
}

}  // namespace

void add_trend(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<TrendOptions>();
  add_history_options(*verb, options->history);
  verb->add_option("--case", options->case_name, "Only cases with such names; * is a wildcard")
      ->type_name("NAME");
  verb->add_option("--metric", options->metric, "Only metrics with such names; * is a wildcard")
      ->type_name("NAME");
  verb->add_flag("--all", options->all, "Print metrics without a change, too");
  add_output_options(*verb, options->output, ResultShape::Rows);
  verb->callback([options, &chosen] { chosen = [options] { return trend(*options); }; });
}

namespace {

using model::SuiteRun;

struct ReportOptions {
  HistoryOptions history;
  std::vector<std::string> limits;
  std::string file;
};

/// The judgement of the latest run, if it was measured together with a base that is available.
Result<std::optional<stats::Judgement>, ExitCode> judge_tonight(const std::vector<SuiteRun>& runs,
                                                                const ReportOptions& options) {
  const SuiteRun* tonight = model::latest_judged(runs);
  const SuiteRun* base = model::find_run(runs, tonight->beside);
  if (base == nullptr) return std::optional<stats::Judgement>{};
  const auto store = open_store(options.history.store, store::Store::Use::Read);
  if (!store) return fail(store.error());
  const auto limits = limits_for(*tonight, options.limits, &*store);
  if (!limits) return fail(end_with(ExitCode::Usage, limits.error()));
  return std::optional(stats::judge(*base, *tonight, *limits));
}

ExitCode write_report(const ReportOptions& options) {
  const auto runs = load_history(options.history);
  if (!runs) return runs.error();
  const auto judgement = judge_tonight(*runs, options);
  if (!judgement) return judgement.error();
  const auto trends = stats::find_trends(*runs);
  return write_text(options.file, pages::suite_page({*runs, trends, *judgement}));
}

}  // namespace

void add_report(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<ReportOptions>();
  add_history_options(*verb, options->history);
  add_limit_option(*verb, options->limits);
  verb->add_option("--out", options->file, "Write to FILE instead of standard output")
      ->type_name("FILE");
  verb->callback([options, &chosen] { chosen = [options] { return write_report(*options); }; });
}

}  // namespace overlane::command
