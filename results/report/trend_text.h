#pragma once

#include <string>
#include <vector>

#include "results/report/column_table.h"
#include "results/stats/trend.h"

namespace overlane::report {

/// The trends of a suite in 80 columns: a sentence about all, then metric by metric those with a
/// step or a verdict, or all if `all`: the values as bars, and each step with its commits.
std::string trend_text(const std::vector<model::SuiteRun>& runs,
                       const std::vector<stats::MetricTrend>& trends, bool all, Style style);

}  // namespace overlane::report
