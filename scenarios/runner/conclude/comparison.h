#pragma once

#include <string>
#include <vector>

#include "results/model/run_report.h"

namespace overlane::runner {

/// Every variant's goodput, throughput and latency relative to the baseline, in parts per million.
/// No rows if the variant or the baseline has no results or ended early; a zero baseline gives no
/// ratio.
std::vector<model::Comparison> compare(const std::vector<model::Variant>& variants,
                                       const std::string& baseline);

}  // namespace overlane::runner
