#pragma once

#include <cstdint>
#include <vector>

#include "results/model/run_report.h"
#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

// How far the results depend on constants: runs are repeated with other ones. explain() changes one
// constant at a time; add_ranges() takes the costs of each host that a mean profile describes.

/// Adds a sensitivity analysis to every complete variant: the effect of changing constants by 10 %
/// on the goodput of each limited flow (constants of that limit) and, if requested, on latency and
/// CPU use (all relevant constants, model::Explained). Runs the first repetition again for each
/// constant. `variants` are the result of gather() for `measured`; `why` is not Nothing. False if
/// `steering` stopped it before all constants were changed.
bool explain(const Prepared& prepared, const Plan& plan, const Measurements& measured, Why why,
             std::uint32_t threads, const Steering& steering,
             std::vector<model::VariantResult>& variants);

/// How far the CPU costs decide a comparison. A cost profile that is the mean of several hosts
/// describes none of them, so each variant runs again with the costs of each host
/// (Prepared::cost_hosts), and a ratio becomes the range from the smallest to the largest. The
/// seed, the topology and the traffic stay those of the first repetition: only the costs differ.

/// Adds the ranges to `comparison`, which compare() made for `plan`. False, and no ranges, if
/// `steering` stopped a run or a run failed.
bool add_ranges(const Prepared& prepared, const Plan& plan, std::uint32_t threads,
                const Steering& steering, std::vector<model::Comparison>& comparison);

/// Packets, about, of the runs that add_ranges() would make.
double packets_of_ranges(const Prepared& prepared, const Plan& plan);

/// More packets than this are a long run: about ten seconds of one core.
inline constexpr double kMaxPacketsOfShortRanges = 40e6;

}  // namespace overlane::runner
