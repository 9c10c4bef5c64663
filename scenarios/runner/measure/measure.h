#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "results/finding/finding.h"
#include "scenarios/runner/measure/observation.h"
#include "scenarios/runner/plan/plan.h"
#include "sim/run/run.h"

namespace overlane::runner {

/// The measurement of each run, by index. Errors are internal. Empty for a run that was not
/// started.
using Measurements = std::vector<std::optional<Parsed<run::Measurement>>>;

/// Executes the plan on `threads` threads. Stops early if `steering` requests it. `observation` may
/// be null.
Measurements carry_out(const Plan& plan, std::uint32_t threads, const Steering& steering,
                       const Observation* observation = nullptr);

}  // namespace overlane::runner
