#pragma once

#include <vector>

#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// A warning, with the worst variant, for each traffic group whose goodput or request latency was
/// not steady during the measurement window or not yet at its start.
Findings unsteady(const spec::Scenario& scenario,
                  const std::vector<model::VariantResult>& variants);

/// A warm-up that suffices for all traffic of a plan, from pilot runs; at least the pilot's own.
Picos found_warm_up(const Plan& plan, const Measurements& pilot);

}  // namespace overlane::runner
