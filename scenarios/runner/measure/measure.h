#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "results/finding/result.h"
#include "scenarios/runner/measure/observation.h"
#include "scenarios/runner/plan/plan.h"
#include "sim/run/run.h"

namespace overlane::runner {

/// What each run measured, at its place; a failure is an internal error. A run that was never begun
/// has nothing.
using Measurements = std::vector<std::optional<Parsed<run::Measurement>>>;

/// Carries out the plan on `threads` threads. Stops, and begins no more, when `steering` says so.
/// `observation` may be null.
Measurements carry_out(const Plan& plan, std::uint32_t threads, const Steering& steering,
                       const Observation* observation = nullptr);

}  // namespace overlane::runner
