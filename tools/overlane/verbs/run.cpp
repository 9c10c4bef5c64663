#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/model/run_report_json.h"
#include "results/pages/run_page.h"
#include "results/report/document_markdown.h"
#include "results/report/document_text.h"
#include "results/report/run_document.h"
#include "results/report/run_summary.h"
#include "scenarios/runner/plan/forecast.h"
#include "scenarios/runner/runner.h"
#include "scenarios/spec/scenario.h"
#include "tools/overlane/cli/environment.h"
#include "tools/overlane/cli/interrupt.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/progress_line.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/observe.h"
#include "tools/overlane/verbs/topology_picture.h"

namespace overlane::command {
namespace {

/// More than any pod range allows.
constexpr std::uint32_t kMaxNodes = 1u << 28;

struct RunOptions {
  const CLI::App* verb = nullptr;
  InputOptions input;
  OutputOptions output;
  std::string shoot;
  std::optional<std::uint32_t> nodes;
  std::optional<std::uint32_t> repetitions;
  std::int64_t max_events = INT64_MAX;
  std::optional<std::int64_t> max_memory_bytes;
  std::string why;
  ObserveOptions observed;
  std::string graphviz_file;
  std::string html_file;
  bool ranges = false;
  bool no_ranges = false;
  bool summary = false;
  bool print_scenario = false;
};

constexpr std::array kWhys = {Choice<runner::Why>{"goodput", runner::Why::Goodput},
                              Choice<runner::Why>{"latency", runner::Why::Latency},
                              Choice<runner::Why>{"cpu", runner::Why::Cpu},
                              Choice<runner::Why>{"all", runner::Why::All}};

/// The value of --why; Nothing if the option is absent.
runner::Why why_of(const std::string& word) {
  const auto* known = std::ranges::find(kWhys, word, &Choice<runner::Why>::first);
  return known == kWhys.end() ? runner::Why::Nothing : known->second;
}

std::string why_fault(const std::string& word) {
  if (why_of(word) != runner::Why::Nothing) return "";
  return "\"" + word + "\" is none of goodput, latency, cpu, all";
}

runner::Request request_of(const RunOptions& options) {
  runner::Request request{
      .paths = options.input.paths,
      .subject = {.derive = options.input.derive, .shoot = options.shoot, .nodes = options.nodes},
      .seed = options.input.seed,
      .repetitions = options.repetitions,
      .threads = options.input.threads,
      .max_events = options.max_events,
      .why = why_of(options.why),
      .ranges = options.no_ranges ? runner::CostRanges::None
                : options.ranges  ? runner::CostRanges::Always
                                  : runner::CostRanges::IfShort,
      .environment = this_environment()};
  if (options.max_memory_bytes) request.max_memory = Bytes{*options.max_memory_bytes};
  observe(options.observed, request);
  return request;
}

ExitCode write(const model::RunReport& report, const RunOptions& options) {
  const OutputOptions& output = options.output;
  if (output.format == Format::Json) return write_json(output, model::encode(report));
  if (output.format == Format::Markdown)
    return write_text(output, report::document_markdown(report::run_document(report)));
  const report::Style style = output_style(output);
  if (!options.summary)
    return write_text(output, report::document_text(report::run_document(report),
                                                    {.style = style, .with_title = true}));
  return write_text(output, report::run_summary(report, style) +
                                "  Without --summary: all figures, bottlenecks and assumed values "
                                "with sources.\n");
}

ExitCode print_scenario(const RunOptions& options) {
  // A scenario that `run` would reject is rejected here too.
  const auto prepared = runner::prepare(request_of(options));
  return prepared ? write_text(options.output, prepared->text)
                  : print_failure(prepared.error(), options.input.quiet, options.input.fail_on);
}

/// Prints the forecast of a long run.
void print_forecast(const runner::Forecast& forecast) {
  constexpr double kLong = 30e6;  // In packets: about half a minute.
  if (forecast.packets >= kLong) print_aside(forecast_text(forecast) + '\n');
}

/// Simulates, shows progress, and stops early on an interrupt.
runner::Outcome<model::RunReport> simulate(const runner::Prepared& prepared,
                                           runner::Request request, const Interrupt& interrupt,
                                           bool quiet) {
  runner::Progress progress;
  request.steering = {.stop = &interrupt.asked(), .progress = &progress};
  request.available_memory = available_memory();
  if (!quiet) request.steering.forecast = print_forecast;
  const ProgressLine line(progress, !quiet && errors_are_seen());
  return runner::run(prepared, request);
}

/// An early end takes precedence over findings.
ExitCode exit_code_of(const model::RunReport& report, const Interrupt& interrupt,
                      Severity fail_on) {
  if (interrupt.asked()) return ExitCode::Interrupted;
  switch (model::ending_of(report)) {
    case model::Ending::Interrupted:
      return ExitCode::Interrupted;
    case model::Ending::EventLimit:
      return ExitCode::RunFailed;
    case model::Ending::Complete:
      return any_at_or_above(report.findings, fail_on) ? ExitCode::Finding : ExitCode::Clean;
  }
  return ExitCode::Internal;
}

/// The files that the scenario refers to.
std::vector<std::string> files_behind(const runner::Prepared& prepared) {
  const spec::Scenario& scenario = prepared.scenario;
  std::vector<std::string> named = scenario.manifests;
  if (scenario.topology) named.push_back(*scenario.topology);
  if (!scenario.cost_profile.empty()) named.push_back(scenario.cost_profile);
  for (std::string& file : named)
    file = spec::relative_to(scenario.file, file);
  named.push_back(prepared.subject.as_written.place.file.str());
  return named;
}

ExitCode run(const RunOptions& options) {
  const runner::Request request = request_of(options);
  const auto prepared = runner::prepare(request);
  if (!prepared) return print_failure(prepared.error(), options.input.quiet, options.input.fail_on);
  const ExitCode refused = check_outputs(output_files(*options.verb), files_behind(*prepared));
  if (refused != ExitCode::Clean) return refused;
  const Interrupt interrupt;
  if (!options.graphviz_file.empty()) {
    const ExitCode drawn =
        write_text(options.graphviz_file, prepared->subject.topology.to_graphviz());
    if (drawn != ExitCode::Clean) return drawn;
  }
  const auto report = simulate(*prepared, request, interrupt, options.input.quiet);
  if (!report) return print_failure(report.error(), options.input.quiet, options.input.fail_on);
  if (options.summary || !shares_terminal(options.output))
    print_findings(report->findings, options.input.quiet, options.input.fail_on);
  ExitCode written = write_traces(report->traces, options.observed);
  if (written == ExitCode::Clean && !options.html_file.empty())
    written = write_text(options.html_file,
                         pages::run_page(*report, picture_of(prepared->subject.topology)));
  if (written == ExitCode::Clean) written = write(*report, options);
  if (written != ExitCode::Clean) return written;
  return exit_code_of(*report, interrupt, options.input.fail_on);
}

std::string not_positive(const std::string& bytes) {
  return bytes.starts_with('-') || bytes == "0" ? "nothing fits into " + bytes + " bytes" : "";
}

void add_bounds(CLI::App& verb, RunOptions& options) {
  verb.add_option("--max-events", options.max_events,
                  "Stop each run after N events and report what was measured until then")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, INT64_MAX))
      ->check(CLI::Validator(too_long, ""))
      ->default_str("");
  verb.add_option("--max-memory", options.max_memory_bytes,
                  "Memory limit; lowers parallelism or refuses to run")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(true))
      ->check(CLI::Validator(not_positive, ""));
}

}  // namespace

void add_run(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* verb = program.add_subcommand(
      "run",
      "Simulate a Scenario or, given manifests, compare the dataplane modes that the CNI supports");
  options->verb = verb;
  add_input_options(*verb, options->input);
  add_seed_option(*verb, options->input);
  add_output_options(*verb, options->output, ResultShape::Request);
  verb->add_option("--shoot", options->shoot, "The shoot to run, if the manifests have several")
      ->type_name("NS/NAME");
  add_nodes_option(*verb, options->nodes, 1, kMaxNodes);
  verb->add_option("--repetitions", options->repetitions,
                   "Number of runs of each variant, with seeds derived from the first")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, spec::kMaxRepetitions));
  add_bounds(*verb, *options);
  add_observe_options(*verb, options->observed);
  verb->add_flag("--why{goodput}", options->why,
                 "Sensitivity analysis: improve each bottleneck by 10 % and report the effect; "
                 "--why=latency, cpu or all varies every constant that may affect it")
      ->check(CLI::Validator(why_fault, ""));
  CLI::Option* ranges =
      verb->add_flag("--ranges", options->ranges,
                     "Compute ranges over the hosts behind a mean cost profile, however long the "
                     "runs are (default: unless they are long)");
  verb->add_flag("--no-ranges", options->no_ranges, "Compute no such ranges")->excludes(ranges);
  verb->add_option("--graphviz", options->graphviz_file, "Write the topology as a Graphviz file")
      ->type_name("FILE");
  verb->add_option("--html", options->html_file,
                   "Also write the run as one HTML page: bars, latency, series, topology")
      ->type_name("FILE");
  verb->add_flag("--summary", options->summary,
                 "Print one screen: a verdict on each variant and a row per kind of traffic")
      ->excludes("--output");
  verb->add_flag("--print-scenario", options->print_scenario, "Print the Scenario and exit")
      ->excludes("--summary");
  verb->callback([options, &chosen] {
    chosen = [options] {
      return options->print_scenario ? print_scenario(*options) : run(*options);
    };
  });
}

}  // namespace overlane::command
