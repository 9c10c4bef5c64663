#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/model/flow_trace.h"
#include "results/model/run_report_json.h"
#include "results/pages/run_page.h"
#include "results/report/document_text.h"
#include "results/report/run_document.h"
#include "results/report/run_summary.h"
#include "results/report/run_values_text.h"
#include "scenarios/library/library.h"
#include "scenarios/runner/plan/plan.h"
#include "scenarios/runner/runner.h"
#include "scenarios/spec/optional_fields.h"
#include "scenarios/spec/scenario.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/progress_line.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/compiled_shoot.h"
#include "tools/overlane/verbs/timelines.h"

namespace overlane::command {

namespace {

/// Options of `overlane run` for steps, series, traces and captures.
struct ObserveOptions {
  std::string series;  ///< The interval, or kDefaultInterval; empty: none.
  bool series_nodes = false;
  bool show_steps = false;
  runner::PacketRequest packets;
  std::string pcap_sample;
  std::string trace_file;  ///< Empty: standard error.
};

/// The value of --series without an interval.
const std::string kDefaultInterval = "auto";

constexpr std::array kPlaces = {Choice<runner::CapturePlace>{"wire", runner::CapturePlace::Wire},
                                Choice<runner::CapturePlace>{"pod", runner::CapturePlace::Pod}};

/// The error in the interval of --series; nothing if the interval is valid.
std::string interval_fault(const std::string& text) {
  if (text == kDefaultInterval) return "";
  const auto interval = spec::parse_duration(text);
  if (!interval) return interval.error();
  return interval->count > 0 ? "" : "an interval of zero has no end";
}

std::string flow_fault(const std::string& text) {
  return text.empty() ? "a flow has a name; write one like bulk/0" : "";
}

/// Parses "1/100", or "100" for the same.
std::optional<std::uint32_t> sample_of(std::string_view text) {
  if (text.starts_with("1/")) text.remove_prefix(2);
  std::uint32_t one_in = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), one_in);
  const bool is_number = error == std::errc{} && stop == text.data() + text.size();
  return is_number && one_in > 0 ? std::optional(one_in) : std::nullopt;
}

std::string sample_fault(const std::string& text) {
  return sample_of(text) ? "" : "\"" + text + "\" is no share of the flows; write it like 1/100";
}

bool is_json_lines(const std::string& file) {
  return file.ends_with(".jsonl");
}

std::string text_of(const model::FlowTrace& trace, bool json_lines) {
  if (!json_lines) return report::flow_trace_text(trace);
  std::string text;
  for (const model::TraceLine& line : trace.lines)
    text += model::encode(trace, line).dump() + '\n';
  return text;
}

void add_series(CLI::App& verb, ObserveOptions& options) {
  verb.add_flag("--series{" + kDefaultInterval + "}", options.series,
                "Also record time series: --series=10ms sets the interval (default: 1/50 of the "
                "duration)")
      ->check(CLI::Validator(interval_fault, ""));
  verb.add_flag("--series-nodes", options.series_nodes,
                "Also record the queues and the CPU use of each node over time (in JSON)");
}

void add_steps(CLI::App& verb, ObserveOptions& options) {
  verb.add_flag("--show-steps", options.show_steps,
                "Also show what each event of the Scenario changes in the states of nodes and "
                "fabric");
}

void add_trace(CLI::App& verb, ObserveOptions& options) {
  verb.add_option("--trace-flow", options.packets.flow,
                  "Follow one flow packet by packet, such as bulk/0 or 100.96.0.2->100.96.1.2, in "
                  "each variant")
      ->type_name("FLOW")
      ->check(CLI::Validator(flow_fault, ""));
  verb.add_option("--trace-out", options.trace_file,
                  "Write the flow trace to this file (JSON lines if it ends in .jsonl) instead of "
                  "standard error")
      ->type_name("FILE")
      ->needs("--trace-flow");
  verb.add_option("--trace-limit", options.packets.trace_limit,
                  "Maximum number of lines per variant (default 10000)")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}))
      ->needs("--trace-flow");
}

void add_pcap(CLI::App& verb, ObserveOptions& options) {
  verb.add_option("--pcap", options.packets.pcap_file,
                  "Write packets to a pcapng file, one for each variant (FILE-VARIANT), with "
                  "simulated times: of the flow of --trace-flow, or of all")
      ->type_name("FILE");
  add_choice(
      verb, "--pcap-at", options.packets.pcap_place, kPlaces,
      "As they leave the NIC of a node, with outer headers (the default), or as the pod that "
      "began the flow sends and receives them");
  verb.get_option("--pcap-at")->needs("--pcap");
  verb.add_option("--pcap-sample", options.pcap_sample,
                  "Only of one flow in N, and of the first of each traffic")
      ->type_name("1/N")
      ->check(CLI::Validator(sample_fault, ""))
      ->needs("--pcap");
  verb.add_option("--pcap-limit", options.packets.pcap_limit,
                  "Maximum number of packets per file (default 10000)")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}))
      ->needs("--pcap");
}

void add_observe_options(CLI::App& verb, ObserveOptions& options) {
  add_steps(verb, options);
  add_series(verb, options);
  add_trace(verb, options);
  add_pcap(verb, options);
}

/// Adds the options to the request.
void observe(const ObserveOptions& options, runner::Request& request) {
  request.show_steps = options.show_steps;
  request.packets = options.packets;
  request.packets.pcap_sample = sample_of(options.pcap_sample).value_or(1);
  if (options.series.empty() && !options.series_nodes) return;
  request.series.emplace();
  request.series->each_node = options.series_nodes;
  if (const auto interval = spec::parse_duration(options.series))
    request.series->interval = *interval;
}

/// Writes traces to the file (as JSON lines if its name has that extension) or to standard error.
ExitCode write_traces(const std::vector<model::FlowTrace>& traces, const ObserveOptions& options) {
  if (traces.empty()) return ExitCode::Clean;
  std::string text;
  for (const model::FlowTrace& trace : traces) {
    if (!text.empty() && !is_json_lines(options.trace_file)) text += '\n';
    text += text_of(trace, is_json_lines(options.trace_file));
  }
  if (!options.trace_file.empty()) return write_text(options.trace_file, text);
  return print_aside(text) ? ExitCode::Clean : ExitCode::RunFailed;
}

/// More nodes than any pod range allows.
constexpr std::uint32_t kMaxNodes = 1u << 28;

struct RunOptions {
  const CLI::App* verb = nullptr;
  InputOptions input;
  OutputOptions output;
  std::string shoot;
  std::optional<std::uint32_t> nodes;
  std::optional<std::uint32_t> repetitions;
  std::int64_t max_events = INT64_MAX;
  bool fast = false;
  std::optional<std::int64_t> max_memory_bytes;
  std::string why;
  ObserveOptions observed;
  std::string graphviz_file;
  std::string html_file;
  std::string perfetto_file;
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
      .fast = options.fast,
      .why = why_of(options.why),
      .ranges = options.no_ranges ? runner::CostRanges::None
                : options.ranges  ? runner::CostRanges::Always
                                  : runner::CostRanges::IfShort,
      .environment = this_environment()};
  if (options.max_memory_bytes) request.max_memory = Bytes{*options.max_memory_bytes};
  observe(options.observed, request);
  return request;
}

/// The files that --graphviz and similar options name; "-" is standard output.
std::vector<std::string> files_beside(const RunOptions& options) {
  return {options.graphviz_file, options.html_file, options.perfetto_file,
          options.observed.trace_file};
}

ExitCode write(const model::RunReport& report, const RunOptions& options) {
  const OutputOptions& output = options.output;
  const ExitCode code = write_json_beside(output, [&] { return model::encode(report); });
  if (code != ExitCode::Clean) return code;
  if (output.format == Format::Json) return write_json(output, model::encode(report));
  if (output.format == Format::Csv) return write_text(output, report::run_csv(report));
  if (output.format == Format::Markdown && options.summary)
    return write_text(
        output, fmt::format("```\n{}```\n", report::run_summary(report, report::Style::Plain)));
  if (output.format == Format::Markdown)
    return write_text(output, report::document_markdown(report::run_document(report)));
  const report::Style style = output_style(output);
  const std::string text =
      options.summary
          ? report::run_summary(report, style) +
                "  Without --summary: all figures, bottlenecks and assumed values with sources.\n"
          : report::document_text(report::run_document(report),
                                  {.style = style, .with_title = true});
  return write_text_beside(output, files_beside(options), text);
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

/// Runs the simulation with progress messages. Stops early on an interrupt.
runner::Outcome<model::RunReport> simulate(const runner::Prepared& prepared,
                                           runner::Request request, const Interrupt& interrupt,
                                           bool quiet) {
  runner::Progress progress;
  request.steering = {.stop = &interrupt.asked(), .progress = &progress};
  request.available_memory = available_memory();
  if (!quiet) request.steering.forecast = print_forecast;
  const ProgressLine line(progress, !quiet && stderr_is_terminal());
  return runner::run(prepared, request);
}

/// The exit code of a run. An early end takes precedence over findings.
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

/// The files to which the scenario refers.
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
  if (written == ExitCode::Clean && !options.perfetto_file.empty())
    written = write_text(options.perfetto_file, run_timeline(*report));
  if (written == ExitCode::Clean) written = write(*report, options);
  if (written != ExitCode::Clean) return written;
  return exit_code_of(*report, interrupt, options.input.fail_on);
}

std::string not_positive(const std::string& bytes) {
  return bytes.starts_with('-') || bytes == "0" ? "nothing fits into " + bytes + " bytes" : "";
}

void add_bounds(CLI::App& verb, RunOptions& options) {
  verb.add_flag("--fast", options.fast,
                "Compute datagrams of constant rate without events while nothing changes; the "
                "results are the same");
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

void add_run(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<RunOptions>();
  options->verb = verb;
  add_input_options(*verb, options->input);
  suggest(verb->get_option("PATH"), [] { return library::names_of_kind("Scenario"); });
  add_seed_option(*verb, options->input);
  add_output_options(*verb, options->output, ResultShape::Report);
  add_json_option(*verb, options->output);
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
  verb->add_option("--perfetto", options->perfetto_file,
                   "Also write the series as trace events, for ui.perfetto.dev")
      ->type_name("FILE")
      ->needs("--series");
  verb->add_flag("--summary", options->summary,
                 "Print one screen: a verdict on each variant and a row per kind of traffic");
  verb->add_flag("--print-scenario", options->print_scenario, "Print the Scenario and exit")
      ->excludes("--summary");
  verb->callback([options, &chosen] {
    const Format format = options->output.format;
    if (options->summary && format != Format::Table && format != Format::Markdown)
      throw CLI::ValidationError(
          "--summary", "a summary is text or markdown; without it, the output has all figures");
    refuse_two_results(options->output, files_beside(*options));
    chosen = [options] {
      return options->print_scenario ? print_scenario(*options) : run(*options);
    };
  });
}

}  // namespace overlane::command
