#pragma once

#include <cstdint>
#include <vector>

#include "results/model/run_report.h"
#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// Adds to every variant that is complete what moving constants of its runs by a tenth does: to the
/// goodput of the traffic that each limit is about, those behind that limit; to latency and CPU use
/// where that is asked, all that could matter (model::Explained). The first repetition is run again
/// for each constant. `variants` are those that gather() made of `measured`; `why` is not Nothing.
/// False when `steering` stopped it: some constants were not moved then.
bool explain(const Prepared& prepared, const Plan& plan, const Measurements& measured, Why why,
             std::uint32_t threads, const Steering& steering,
             std::vector<model::Variant>& variants);

}  // namespace overlane::runner
