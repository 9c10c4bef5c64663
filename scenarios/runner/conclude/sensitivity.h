#pragma once

#include <cstdint>
#include <vector>

#include "results/model/run_report.h"
#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

// Sensitivity of the results to constants, by repeated runs with other values. explain() changes
// one constant at a time. add_ranges() runs with the costs of each host behind a mean cost profile.

/// Adds a sensitivity analysis to every complete variant: the effect of changing constants by 10 %
/// on the goodput of each limited flow (constants of that limit) and, if requested, on latency and
/// CPU use (all relevant constants, model::Sensitivity). Repeats the first repetition for each
/// constant. `variants` must be the result of gather() for `measured`, and `why` must not be
/// Nothing. Returns false if `steering` stopped the analysis before all constants were changed.
bool explain(const Prepared& prepared, const Plan& plan, const Measurements& measured, Why why,
             std::uint32_t threads, const Steering& steering,
             std::vector<model::VariantResult>& variants);

/// Adds to each ratio of `comparison` its range over the hosts of a mean cost profile
/// (Prepared::cost_hosts). Such a profile describes no single host, so each variant runs again with
/// the costs of each host, and the range goes from the smallest to the largest ratio. The seed, the
/// topology and the traffic are those of the first repetition; only the costs differ. `comparison`
/// must be the result of compare() for `plan`. Returns false and adds no ranges if `steering`
/// stopped a run or a run failed.
bool add_ranges(const Prepared& prepared, const Plan& plan, std::uint32_t threads,
                const Steering& steering, std::vector<model::Comparison>& comparison);

/// Approximate number of packets in the runs of add_ranges().
double packets_of_ranges(const Prepared& prepared, const Plan& plan);

/// Maximum number of packets of short runs: about ten seconds of one core.
inline constexpr double kMaxPacketsOfShortRanges = 40e6;

}  // namespace overlane::runner
