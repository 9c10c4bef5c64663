#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "results/pages/suite_page.h"
#include "results/stats/judge.h"
#include "results/stats/trend.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/suite_runs.h"

namespace overlane::command {
namespace {

using model::SuiteRun;

struct ReportOptions {
  HistoryOptions history;
  std::vector<std::string> limits;
  std::string file;
};

/// Tonight's judgement, if it was measured beside a base that is there.
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

void add_report(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = program.add_subcommand(
      "report", "Write one HTML page about a suite: what changed, since when, and where to look");
  add_history_options(*verb, options->history);
  add_limit_option(*verb, options->limits);
  verb->add_option("--out", options->file, "Write to FILE instead of standard output")
      ->type_name("FILE");
  verb->callback([options, &chosen] { chosen = [options] { return write_report(*options); }; });
}

}  // namespace overlane::command
