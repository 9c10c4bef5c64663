#pragma once

#include <vector>

#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// Returns a warning for each traffic group whose goodput or request latency was not steady during
/// the measurement window, or not yet at its start. The warning names the worst variant.
Findings unsteady(const spec::Scenario& scenario,
                  const std::vector<model::VariantResult>& variants);

/// Returns a warm-up that suffices for all traffic of a plan, from the measurements of pilot runs.
/// It is at least the warm-up of the pilot.
Picos found_warm_up(const Plan& plan, const Measurements& pilot);

}  // namespace overlane::runner
