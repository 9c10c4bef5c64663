#pragma once

#include "bench/engine/workload.h"

namespace overlane::bench {

/// Measures in a child process, so that its peak memory is that of the workload. The child reports
/// errors on standard error.
Parsed<Figures> measure_in_child(Measure how, const Workload& workload);

}  // namespace overlane::bench
