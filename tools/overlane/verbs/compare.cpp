#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "results/report/judgement_text.h"
#include "results/stats/judge.h"
#include "results/stats/judge_json.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/suites/limits.h"
#include "tools/overlane/suites/run_reference.h"
#include "tools/overlane/suites/store_file.h"

namespace overlane::command {
namespace {

struct CompareOptions {
  std::string base;
  std::string changed;
  std::string store;
  OutputOptions output;
  std::string junit;
  std::vector<std::string> limits;
  bool all = false;
};

ExitCode write(const report::JudgedRuns& runs, const CompareOptions& options) {
  switch (options.output.format) {
    case Format::Json:
      return write_json(options.output, stats::encode(runs.judgement, runs.base, runs.changed));
    case Format::Markdown:
      return write_text(options.output, report::judgement_markdown(runs));
    default:
      return write_text(options.output,
                        report::judgement_text(runs, options.all, output_style(options.output)));
  }
}

ExitCode compare(const CompareOptions& options) {
  const auto base = find_run(options.base, options.store);
  if (!base) return base.error();
  const auto changed = find_run(options.changed, options.store, base->suite);
  if (!changed) return changed.error();
  // Runs of files are judged without a store, too.
  std::error_code ignored;
  std::optional<store::Store> store;
  if (std::filesystem::exists(store_file(options.store), ignored)) {
    auto opened = open_store(options.store, store::Store::Use::Read);
    if (!opened) return opened.error();
    store = *std::move(opened);
  }
  const auto limits = limits_for(*changed, options.limits, store ? &*store : nullptr);
  if (!limits) {
    print_error(limits.error());
    return ExitCode::Usage;
  }
  const stats::Judgement judgement = stats::judge(*base, *changed, *limits);
  const report::JudgedRuns runs{*base, *changed, judgement};
  ExitCode written = ExitCode::Clean;
  if (!options.junit.empty()) written = write_text(options.junit, report::judgement_junit(runs));
  if (written == ExitCode::Clean) written = write(runs, options);
  if (written != ExitCode::Clean) return written;
  return judgement.any_regression() ? ExitCode::Finding : ExitCode::Clean;
}

}  // namespace

void add_compare(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb = program.add_subcommand(
      "compare", "Judge a run of a suite by an earlier one; a regression is exit code 1");
  verb->add_option("BASE", options->base, std::string("The run to judge by: ") + kRunReferenceHelp)
      ->type_name("")
      ->required();
  verb->add_option("CHANGED", options->changed, "The run to judge, named alike")
      ->type_name("")
      ->required();
  add_store_option(*verb, options->store);
  add_limit_option(*verb, options->limits);
  add_output_options(*verb, options->output, ResultShape::Request);
  verb->add_flag("--all", options->all, "Print metrics that are the same, too")
      ->excludes("--output");
  verb->add_option("--junit", options->junit, "Also write the verdicts as JUnit XML")
      ->type_name("FILE");
  verb->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace overlane::command
