#include "tools/overlane/verbs/observe.h"

#include <array>
#include <charconv>
#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/model/flow_trace.h"
#include "results/report/run_values_text.h"
#include "scenarios/spec/quantity.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"

namespace overlane::command {
namespace {

/// The value of --series without an interval.
const std::string kDefaultInterval = "auto";

constexpr std::array kPlaces = {Choice<runner::CapturePlace>{"wire", runner::CapturePlace::Wire},
                                Choice<runner::CapturePlace>{"pod", runner::CapturePlace::Pod}};

/// The error in the interval of --series; nothing if it is valid.
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

}  // namespace

void add_observe_options(CLI::App& verb, ObserveOptions& options) {
  add_steps(verb, options);
  add_series(verb, options);
  add_trace(verb, options);
  add_pcap(verb, options);
}

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

}  // namespace overlane::command
