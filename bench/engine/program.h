#pragma once

#include <functional>
#include <string_view>

#include "bench/engine/options.h"

namespace overlane::bench {

/// Receives the output incrementally.
using Output = std::function<void(std::string_view)>;

/// Runs the selected workloads. Returns exit code 1 if a workload failed; it then has no line, and
/// the error is on standard error.
int run_program(const EngineOptions& options, const Output& output);

}  // namespace overlane::bench
