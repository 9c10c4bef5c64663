#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/suite/suite.h"
#include "bench/suite/values.h"
#include "results/model/suite_run.h"

namespace overlane::suite {

/// The value of the instructions that callgrind counted.
inline constexpr const char* kInstructions = "process/instructions";

/// Adds those values of a round to `metrics` that a pattern makes metrics: the first that matches.
/// Only kInstructions is a metric of tolerance `instructions`.
void collect(const std::vector<NamedFigure>& values, std::int64_t round,
             std::span<const MetricPattern> patterns, std::vector<model::MeasuredMetric>& metrics);

/// The patterns that no metric has the name of.
std::vector<std::string> unmatched(std::span<const MetricPattern> patterns,
                                   const std::vector<model::MeasuredMetric>& metrics);

}  // namespace overlane::suite
