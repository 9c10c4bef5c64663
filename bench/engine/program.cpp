#include "bench/engine/program.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "bench/engine/child.h"
#include "bench/engine/limit.h"
#include "bench/engine/report.h"

namespace overlane::bench {
namespace {

/// The figures that do not depend on the clock.
auto facts(const Figures& figures) {
  return std::tuple(figures.packet_hops, figures.packets, figures.dropped, figures.events,
                    figures.byte_path_checked);
}

/// The run with the median loop time. Fails if two runs differ in more than time.
Parsed<Figures> median(const Workload& workload, const EngineOptions& options) {
  std::vector<Figures> runs;
  for (int run = 0; run < options.repeat; ++run) {
    const Measure how = options.limit ? measure_limit : measure;
    const auto figures = options.in_process ? how(workload) : measure_in_child(how, workload);
    if (!figures) return fail(figures.error());
    if (!runs.empty() && facts(runs.front()) != facts(*figures))
      return fail("two runs of the same have done different things");
    runs.push_back(*figures);
  }
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::ranges::nth_element(runs, middle, {}, &Figures::loop_seconds);
  return *middle;
}

}  // namespace

int run_program(const EngineOptions& options, const Output& output) {
  if (options.list) {
    for (const Workload& workload : options.workloads)
      output(fmt::format("{}{}\n", workload.name, workload.cpu_costs ? " with CPU costs" : ""));
    return 0;
  }
  std::vector<Line> lines;
  bool failed = false;
  if (!options.json) output(text_head());
  for (const Workload& workload : options.workloads) {
    const auto figures = median(workload, options);
    if (!figures) {
      fmt::print(stderr, "overlane-bench-engine: error: {}: {}\n", workload.name, figures.error());
      failed = true;
      continue;
    }
    lines.push_back({workload, *figures});
    if (!options.json) output(text_line(lines.back()));
  }
  if (options.json) output(json(lines));
  return failed ? 1 : 0;
}

}  // namespace overlane::bench
