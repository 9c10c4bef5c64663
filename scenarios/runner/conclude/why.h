#pragma once

#include <cstdint>
#include <vector>

#include "results/model/run_report.h"
#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// Adds a sensitivity analysis to every complete variant: the effect of changing constants by 10 %
/// on the goodput of each limited flow (constants of that limit) and, if requested, on latency and
/// CPU use (all relevant constants, model::Explained). Runs the first repetition again for each
/// constant. `variants` are the result of gather() for `measured`; `why` is not Nothing. False if
/// `steering` stopped it before all constants were changed.
bool explain(const Prepared& prepared, const Plan& plan, const Measurements& measured, Why why,
             std::uint32_t threads, const Steering& steering,
             std::vector<model::Variant>& variants);

}  // namespace overlane::runner
