#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/stats/noise.h"

namespace overlane::stats {

/// The NoiseReport document: `run` without its cases, and `metrics[]`.
nlohmann::ordered_json encode(const std::vector<MetricNoise>& noise, const model::SuiteRun& run,
                              std::size_t night_rounds);

}  // namespace overlane::stats
