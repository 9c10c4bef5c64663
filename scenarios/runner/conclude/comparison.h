#pragma once

#include <string>
#include <vector>

#include "results/model/run_report.h"

namespace overlane::runner {

/// Every variant's goodput, throughput and latency over the baseline's, in parts per million. A
/// variant without numbers, or a baseline without them, gives no rows, nor does one whose run ended
/// early; a baseline of zero gives no ratio.
std::vector<model::Comparison> compare(const std::vector<model::Variant>& variants,
                                       const std::string& baseline);

}  // namespace overlane::runner
