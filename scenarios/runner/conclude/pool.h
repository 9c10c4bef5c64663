#pragma once

#include <vector>

#include "results/model/run_report.h"

namespace overlane::runner {

/// The repetitions of one traffic group as one result: rates are their means, latencies those of
/// all their samples, packets, drops and transactions their sums, so that these still add up.
/// `repeated` holds the figures of each, when there is more than one. At least one.
model::TrafficResult pool(const std::vector<model::TrafficResult>& repetitions);

}  // namespace overlane::runner
