#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/stats/judge.h"
#include "results/stats/noise.h"
#include "results/stats/trend.h"

namespace overlane::stats {

// The JSON documents of comparisons, noise and trends, for other programs.

/// The Comparison document: both runs without their cases, `verdict` (regression or clean),
/// `metrics[]` and `problems[]`.
nlohmann::ordered_json encode(const Judgement& judgement, const model::SuiteRun& base,
                              const model::SuiteRun& changed);

/// A run as part of these documents, without its cases: `id`, `suite`, `started_ms`, `environment`.
nlohmann::ordered_json encode_run(const model::SuiteRun& run);

/// The NoiseReport document: `run` without its cases, and `metrics[]`.
nlohmann::ordered_json encode(const std::vector<MetricNoise>& noise, const model::SuiteRun& run,
                              std::size_t night_rounds);

/// The Trends document: `runs[]` without their cases, and `trends[]`, whose points and steps refer
/// to the runs by id.
nlohmann::ordered_json encode(const std::vector<MetricTrend>& trends,
                              const std::vector<model::SuiteRun>& runs);

}  // namespace overlane::stats
