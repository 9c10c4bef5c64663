#pragma once

#include <string>
#include <vector>

#include "bench/engine/workload.h"

namespace overlane::bench {

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

}  // namespace overlane::bench
