#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engine/workload.h"
#include "results/finding/finding.h"

namespace overlane::bench {

// The program `overlane-bench-engine`: options, measurement in child processes, and reports as a
// table or JSON. Each workload is measured in a process of its own, so that its peak memory is its
// own.

struct EngineOptions {
  std::vector<Workload> workloads;
  int repeat = 1;           ///< At least 1.
  bool json = false;        ///< One document instead of a table.
  bool in_process = false;  ///< In this process, for profilers; memory peaks then add up.
  bool list = false;        ///< Only lists the workloads.
  bool limit = false;       ///< The least that any engine has to do, instead of the engine.
};

/// Invalid options, or a request for help.
struct WrongUse {
  std::string text;  ///< The error text, or the help if requested.
  int exit_code = 2;
};

/// `arguments` without the program's name.
Result<EngineOptions, WrongUse> parse_options(std::vector<std::string> arguments);

struct Line {
  Workload workload;
  Figures figures;
};

/// The table's head and one line of it, both with a line end.
std::string text_head();
std::string text_line(const Line& line);

/// `{"schema_version", "kind": "EngineBenchmark", "assertions": …, "workloads": [{"name",
/// "network", "kind", "cpu_costs", "nodes", "pods_per_node", "flows", …}]}`. Rates are per second,
/// not in millions. `network` is the pod network, or "nodes". `assertions`: whether the program was
/// built with them, which makes its times useless.
std::string json(const std::vector<Line>& lines);

/// Measures in a child process, so that its peak memory is that of the workload. The child reports
/// errors on standard error.
Parsed<Figures> measure_in_child(Measure how, const Workload& workload);

/// Receives the output incrementally.
using Output = std::function<void(std::string_view)>;

/// Runs the selected workloads. Returns exit code 1 if a workload failed; it then has no line, and
/// the error is on standard error.
int run_program(const EngineOptions& options, const Output& output);

}  // namespace overlane::bench
