#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/suite/values.h"
#include "results/model/suite_run.h"
#include "results/report/csv.h"
#include "results/report/judgement_text.h"
#include "results/report/run_table.h"
#include "results/report/run_values_text.h"
#include "results/report/text.h"
#include "results/stats/judge_json.h"
#include "results/stats/noise.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/suite_runs.h"

namespace overlane::command {
namespace {

using model::SuiteRun;

enum class ExportFormat { JsonLines, GoogleBenchmark };

constexpr std::array kExportFormats = {
    Choice<ExportFormat>{"jsonl", ExportFormat::JsonLines},
    Choice<ExportFormat>{"google-benchmark", ExportFormat::GoogleBenchmark}};

struct StoreOptions {
  std::string store;
  std::string suite;
  OutputOptions output;
  std::vector<std::string> files;  ///< Files to import.
  std::string run;                 ///< Run to export.
  ExportFormat format = ExportFormat::JsonLines;
  bool baseline = false;
  std::size_t night_rounds = 10;  ///< Number of rounds for which the noise is printed.
};

std::string run_line(const SuiteRun& run) {
  return fmt::format(
      "{:<25}  {}  {:<18}  {:<11}  {}{}\n", run.id, report::time_text(run),
      report::commit_text(run), to_string(run.state), run.suite,
      run.purpose == model::RunPurpose::Judged ? "" : fmt::format(" ({})", to_string(run.purpose)));
}

ExitCode list_runs(const StoreOptions& options) {
  const auto store = open_store(options.store, store::Store::Use::Read);
  if (!store) return store.error();
  const auto runs = store->runs({.suite = options.suite, .commit = "", .complete = false});
  if (!runs) return end_with(ExitCode::NoInput, runs.error());
  if (options.output.format != Format::Table) {
    nlohmann::ordered_json document{{"schema_version", 1}, {"kind", "SuiteRuns"}};
    document["runs"] = nlohmann::ordered_json::array();
    for (const SuiteRun& run : *runs) {
      nlohmann::ordered_json json = model::encode(run);
      for (const char* key : {"schema_version", "kind", "cases"})
        json.erase(key);
      document["runs"].push_back(std::move(json));
    }
    return options.output.format == Format::Json
               ? write_json(options.output, document)
               : write_text(options.output, report::rows_csv(document["runs"]));
  }
  std::string text = fmt::format("{:<25}  {:<16}  {:<18}  {:<11}  {}\n", "run", "started (UTC)",
                                 "commit", "state", "suite");
  for (const SuiteRun& run : *runs)
    text += run_line(run);
  return write_text(options.output, text);
}

/// Prints the measurements of a run.
ExitCode show_run(const StoreOptions& options) {
  const auto run = find_run(options.run, options.store, options.suite);
  if (!run) return run.error();
  switch (options.output.format) {
    case Format::Json:
      return write_json(options.output, model::encode(*run));
    case Format::Csv:
      return write_text(options.output, report::run_values_csv(*run));
    default:
      return write_text(options.output,
                        report::run_values_text(*run, output_style(options.output)));
  }
}

/// The part of a run that must be equal for all builds and machines: exact metrics, without
/// documents.
SuiteRun baseline_of(SuiteRun run) {
  run.beside = "";
  run.accepted.clear();
  const model::Environment& built = run.environment;
  run.environment = {.overlane_version = built.overlane_version,
                     .commit = built.commit,
                     .compiler = built.compiler,
                     .flags = built.flags,
                     .build_type = built.build_type};
  for (model::CaseRun& one : run.cases) {
    one.seconds = 0;
    one.rounds.clear();
    one.document = "";
    std::erase_if(one.metrics, [](const model::MeasuredMetric& measured) {
      return measured.metric.tolerance != model::Tolerance::Exact;
    });
    for (model::MeasuredMetric& measured : one.metrics)
      measured.samples.resize(std::min<std::size_t>(measured.samples.size(), 1));
  }
  std::erase_if(run.cases, [](const model::CaseRun& one) { return one.metrics.empty(); });
  return run;
}

ExitCode export_run(const StoreOptions& options) {
  auto run = find_run(options.run, options.store, options.suite);
  if (!run) return run.error();
  if (options.baseline) run = baseline_of(*std::move(run));
  return write_text(options.output, options.format == ExportFormat::GoogleBenchmark
                                        ? suite::google_benchmark_json(*run)
                                        : model::suite_run_lines(*run));
}

/// Prints the noise that the latest A/A run measured, also for runs with another number of rounds.
ExitCode print_noise(const StoreOptions& options) {
  const auto store = open_store(options.store, store::Store::Use::Read);
  if (!store) return store.error();
  const auto runs = store->runs({.suite = options.suite, .commit = "", .complete = true});
  if (!runs) return end_with(ExitCode::NoInput, runs.error());
  const auto latest =
      std::ranges::find(runs->rbegin(), runs->rend(), model::RunPurpose::Noise, &SuiteRun::purpose);
  if (latest == runs->rend())
    return end_with(ExitCode::NoInput,
                    store_file(options.store) + ": no A/A run; `overlane bench --aa` makes one");
  const auto run = store->load(latest->id), other = store->load(latest->beside);
  if (!run || !other) return end_with(ExitCode::NoInput, run ? other.error() : run.error());
  const auto noise = stats::noise_of(*other, *run, options.night_rounds);
  const auto document = stats::encode(noise, *run, options.night_rounds);
  if (options.output.format == Format::Json) return write_json(options.output, document);
  if (options.output.format == Format::Csv)
    return write_text(options.output, report::rows_csv(document["metrics"]));
  return write_text(options.output,
                    report::noise_text(noise, options.night_rounds, output_style(options.output)));
}

/// Adds the runs of a file. Runs that the store already has stay unchanged. Returns the number of
/// added runs.
Parsed<std::size_t> import_file(const std::string& file, store::Store& store) {
  const auto runs = suite::import_file(file);
  if (!runs) return fail(runs.error());
  std::size_t added = 0;
  for (const SuiteRun& run : *runs) {
    if (store.has(run.id)) continue;
    if (auto put = store.add(run); !put) return fail(put.error());
    ++added;
  }
  return added;
}

ExitCode import_files(const StoreOptions& options) {
  auto store = open_store(options.store, store::Store::Use::Write);
  if (!store) return store.error();
  std::size_t added = 0;
  for (const std::string& file : options.files) {
    const auto imported = import_file(file, *store);
    if (!imported) return end_with(ExitCode::NoInput, imported.error());
    added += *imported;
  }
  print_aside(fmt::format("{} added\n", report::counted_text(added, "run")));
  return ExitCode::Clean;
}

}  // namespace

void add_store(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<StoreOptions>();
  verb->require_subcommand(1);

  CLI::App* list = verb->add_subcommand("list", "Print the runs, the oldest first");
  add_store_option(*list, options->store);
  list->add_option("--suite", options->suite, "Only those of this suite")->type_name("NAME");
  add_output_options(*list, options->output, ResultShape::Rows);
  list->callback([options, &chosen] { chosen = [options] { return list_runs(*options); }; });

  CLI::App* shown = verb->add_subcommand("show", "Print what a run measured");
  shown->add_option("RUN", options->run, std::string("The run: ") + kRunReferenceHelp)
      ->type_name("")
      ->required();
  add_store_option(*shown, options->store);
  shown->add_option("--suite", options->suite, "Whose runs `latest` counts")->type_name("NAME");
  add_output_options(*shown, options->output, ResultShape::Rows);
  shown->callback([options, &chosen] { chosen = [options] { return show_run(*options); }; });

  CLI::App* exported = verb->add_subcommand("export", "Print a run, for other programs or for git");
  exported->add_option("RUN", options->run, std::string("The run: ") + kRunReferenceHelp)
      ->type_name("")
      ->required();
  add_store_option(*exported, options->store);
  exported->add_option("--suite", options->suite, "Whose runs `latest` counts")->type_name("NAME");
  add_choice(*exported, "--format", options->format, kExportFormats,
             "jsonl: all of it; google-benchmark: its times");
  exported->add_flag("--baseline", options->baseline,
                     "Only what every machine must agree on: exact metrics");
  exported->add_option("--out", options->output.file, "Write to FILE instead of standard output")
      ->type_name("FILE");
  exported->callback([options, &chosen] { chosen = [options] { return export_run(*options); }; });

  CLI::App* noise =
      verb->add_subcommand("noise", "Print what the latest A/A run says of this machine's noise");
  add_store_option(*noise, options->store);
  noise->add_option("--suite", options->suite, "Only runs of this suite")->type_name("NAME");
  noise->add_option("--rounds", options->night_rounds, "Rounds of a night")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  add_output_options(*noise, options->output, ResultShape::Rows);
  noise->callback([options, &chosen] { chosen = [options] { return print_noise(*options); }; });

  CLI::App* imported = verb->add_subcommand(
      "import", "Add the runs of files; those that are there already stay as they are");
  imported
      ->add_option("FILE", options->files,
                   "A SuiteRun (JSON or JSON lines), RunReport, FastpathReport or Google "
                   "Benchmark's JSON")
      ->type_name("")
      ->required();
  add_store_option(*imported, options->store);
  imported->callback([options, &chosen] { chosen = [options] { return import_files(*options); }; });
}

}  // namespace overlane::command
