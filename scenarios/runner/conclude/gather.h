#pragma once

#include "results/finding/finding.h"
#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// Combines the measurements of each variant, in the order of the plan's variants. A variant is
/// `partial` if runs ended early and `not-run` if none was started; its reason says where the runs
/// ended. Errors are internal: packets are not accounted for, or the byte path disagrees.
Result<std::vector<model::Variant>> gather(const Plan& plan, const Measurements& measured);

}  // namespace overlane::runner
