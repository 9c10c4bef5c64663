#pragma once

#include <vector>

#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// A warning for each traffic group with goodput or request latency that was not steady during the
/// measurement window, or not yet at its start, with the worst variant.
Findings unsteady(const spec::Scenario& scenario, const std::vector<model::Variant>& variants);

/// The warm-up that suffices for all traffic of a plan, from pilot runs: at least that of the
/// pilot.
Picos found_warm_up(const Plan& plan, const Measurements& pilot);

}  // namespace overlane::runner
