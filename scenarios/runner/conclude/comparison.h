#pragma once

#include <string>
#include <vector>

#include "results/model/run_report.h"

namespace overlane::runner {

/// Each variant's goodput, throughput and latency relative to the baseline, in parts per million.
/// No rows if the variant or the baseline has no results or ended early. No ratio if the baseline
/// is zero.
std::vector<model::Comparison> compare(const std::vector<model::Variant>& variants,
                                       const std::string& baseline);

}  // namespace overlane::runner
