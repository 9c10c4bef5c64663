#pragma once

#include <cstdint>
#include <vector>

#include "results/model/run_report.h"
#include "scenarios/runner/plan.h"

namespace overlane::runner {

/// Adds to the limits of every variant that is complete what moving each constant behind them by a
/// tenth does to the goodput of their traffic: the first repetition is run again for each constant.
/// `variants` are those that gather() made of `measured`. False when `steering` stopped it: some
/// limits have no movements then.
bool explain_limits(const Prepared& prepared, const Plan& plan, const Measurements& measured,
                    std::uint32_t threads, const Steering& steering,
                    std::vector<model::Variant>& variants);

}  // namespace overlane::runner
