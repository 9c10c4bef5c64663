#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "results/model/run_report.h"
#include "scenarios/runner/load/prepare.h"
#include "scenarios/runner/load/request.h"
#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::runner {

// From measurements to the results of a report: pool() combines repetitions, gather() builds the
// result of each variant, and compare() relates the variants to the baseline.

/// Combines the repetitions (at least one) of a traffic group: means of rates, latencies of all
/// samples, and sums of packets, drops and transactions, so that packet counts stay consistent.
/// `repeated` holds the figures of each repetition if there are several.
model::TrafficResult pool(const std::vector<model::TrafficResult>& repetitions);

/// Returns the requested series options, which apply to the first repetition of each variant. Fails
/// with `series-too-long` if the series have more than kMaxSeriesValues values in total.
Outcome<std::optional<run::SeriesOptions>> series_options(const Prepared& prepared,
                                                          const Request& request);

inline constexpr std::int64_t kMaxSeriesValues = 10'000'000;

/// Returns the goodput, throughput and latency of each variant relative to the baseline, in parts
/// per million. There are no rows if the variant or the baseline has no results or ended early, and
/// there is no ratio if the value of the baseline is zero.
std::vector<model::Comparison> compare(const std::vector<model::VariantResult>& variants,
                                       const std::string& baseline);

/// Combines the measurements of each variant, in the order of the plan's variants. A variant is
/// `partial` if runs ended early, and `not-run` if no run was started; its reason says where the
/// runs ended. Errors are internal errors: packets are not accounted for, or the byte path
/// disagrees.
Result<std::vector<model::VariantResult>> gather(const Plan& plan, const Measurements& measured);

}  // namespace overlane::runner
