#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/stats/trend.h"

namespace overlane::stats {

/// The Trends document: `runs[]` without their cases, and `trends[]`, whose points and steps name
/// them by their ids.
nlohmann::ordered_json encode(const std::vector<MetricTrend>& trends,
                              const std::vector<model::SuiteRun>& runs);

}  // namespace overlane::stats
