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

/// Combines the repetitions (at least one) of a traffic group: means of rates, latencies of all
/// samples, and sums of packets, drops and transactions, so that packet counts stay consistent.
/// `repeated` holds the figures of each repetition if there are several.
model::TrafficResult pool(const std::vector<model::TrafficResult>& repetitions);

/// The series options of each first repetition, as requested. More than kMaxSeriesValues values in
/// total are an error (`series-too-long`).
Outcome<std::optional<run::SeriesOptions>> series_options(const Prepared& prepared,
                                                          const Request& request);

inline constexpr std::int64_t kMaxSeriesValues = 10'000'000;

/// Each variant's goodput, throughput and latency relative to the baseline, in parts per million.
/// No rows if the variant or the baseline has no results or ended early. No ratio if the baseline
/// is zero.
std::vector<model::Comparison> compare(const std::vector<model::VariantResult>& variants,
                                       const std::string& baseline);

/// Combines the measurements of each variant, in the order of the plan's variants. A variant is
/// `partial` if runs ended early and `not-run` if none was started; its reason says where the runs
/// ended. Errors are internal: packets are not accounted for, or the byte path disagrees.
Result<std::vector<model::VariantResult>> gather(const Plan& plan, const Measurements& measured);

}  // namespace overlane::runner
