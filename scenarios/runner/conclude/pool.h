#pragma once

#include <vector>

#include "results/model/run_report.h"

namespace overlane::runner {

/// Combines the repetitions of one traffic group: means of rates, latencies of all samples, and
/// sums of packets, drops and transactions, so that packet counts stay consistent. `repeated` holds
/// the figures of each if there are several. At least one.
model::TrafficResult pool(const std::vector<model::TrafficResult>& repetitions);

}  // namespace overlane::runner
