#pragma once

#include <cstdint>
#include <vector>

#include "results/model/run_report.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

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
