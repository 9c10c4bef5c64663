#pragma once

#include <string>
#include <vector>

#include "bench/engine/workload.h"

namespace overlane::bench {

struct Line {
  Workload workload;
  Figures figures;
};

/// A table's head and one line of it, with their line ends.
std::string text_head();
std::string text_line(const Line& line);

/// The network is the pods', or "nodes".
/// `{"assertions": …, "workloads": [{"name", "network", "kind", "cpu_costs", "nodes",
/// "pods_per_node", "flows", …}]}`, rates per second and not in millions. `assertions`: whether the
/// program was built with them, which makes its times useless.
std::string json(const std::vector<Line>& lines);

}  // namespace overlane::bench
