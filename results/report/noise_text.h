#pragma once

#include <string>
#include <vector>

#include "results/report/column_table.h"
#include "results/stats/noise.h"

namespace overlane::report {

/// What the noise of a machine hides: for each time its noise floor, how often equal builds would
/// be told apart, and the smallest slow-down that is found. `night_rounds`: rounds of a night.
std::string noise_text(const std::vector<stats::MetricNoise>& noise, std::size_t night_rounds,
                       Style style);

}  // namespace overlane::report
