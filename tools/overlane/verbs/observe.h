#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/model/flow_trace.h"
#include "scenarios/runner/runner.h"
#include "tools/overlane/cli/exit_code.h"

namespace CLI {
class App;
}

namespace overlane::command {

/// Options of `overlane run` for steps, series, traces and captures.
struct ObserveOptions {
  std::string series;  ///< The interval, or kDefaultInterval; empty: none.
  bool series_nodes = false;
  bool show_steps = false;
  runner::PacketRequest packets;
  std::string pcap_sample;
  std::string trace_file;  ///< Empty: standard error.
};

void add_observe_options(CLI::App& verb, ObserveOptions& options);

/// Adds the options to the request.
void observe(const ObserveOptions& options, runner::Request& request);

/// Writes to the file (as JSON lines if its name ends so), or to standard error.
ExitCode write_traces(const std::vector<model::FlowTrace>& traces, const ObserveOptions& options);

}  // namespace overlane::command
