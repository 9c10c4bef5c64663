#pragma once

#include <functional>
#include <string_view>

#include "bench/engine/options.h"

namespace overlane::bench {

/// Receives the answer piece by piece, as it comes.
using Output = std::function<void(std::string_view)>;

/// Measures what was chosen. Returns the exit code: 1 when a workload failed, which has no line
/// then, and says why on standard error.
int run_program(const EngineOptions& options, const Output& output);

}  // namespace overlane::bench
