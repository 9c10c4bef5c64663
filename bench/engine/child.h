#pragma once

#include "bench/engine/workload.h"

namespace overlane::bench {

/// measure() in a process of its own, so that its peak of memory is that workload's. What the
/// process fails with is on standard error.
Parsed<Figures> measure_in_child(const Workload& workload);

}  // namespace overlane::bench
