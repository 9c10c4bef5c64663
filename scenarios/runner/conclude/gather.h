#pragma once

#include "results/finding/result.h"
#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// What the runs of each variant measured, together, in the order of the plan's variants. A variant
/// whose runs ended early is `partial`, one without any `not-run`; both say where they ended. The
/// error is internal: packets were lost track of, or the byte path disagrees.
Result<std::vector<model::Variant>> gather(const Plan& plan, const Measurements& measured);

}  // namespace overlane::runner
