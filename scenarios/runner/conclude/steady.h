#pragma once

#include <vector>

#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// A warning for each traffic group whose goodput, or whose requests' latency, was not steady while
/// it was measured, or had not been when the warm-up ended, with the variant that it was worst in.
Findings unsteady(const spec::Scenario& scenario, const std::vector<model::Variant>& variants);

/// The warm-up that is long enough for all traffic of a plan's runs, by what a pilot of each run
/// found steady: not shorter than that of the pilot.
Picos found_warm_up(const Plan& plan, const Measurements& pilot);

}  // namespace overlane::runner
