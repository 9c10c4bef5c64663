#pragma once

#include <vector>

#include "results/model/run_report.h"

namespace overlane::runner {

/// Combines the repetitions (at least one) of a traffic group: means of rates, latencies of all
/// samples, and sums of packets, drops and transactions, so that packet counts stay consistent.
/// `repeated` holds the figures of each repetition if there are several.
model::TrafficResult pool(const std::vector<model::TrafficResult>& repetitions);

}  // namespace overlane::runner
