#pragma once

#include <nlohmann/json_fwd.hpp>

#include "results/stats/judge.h"

namespace overlane::stats {

/// The Comparison document: both runs without their cases, `verdict` (regression or clean),
/// `metrics[]` and `problems[]`.
nlohmann::ordered_json encode(const Judgement& judgement, const model::SuiteRun& base,
                              const model::SuiteRun& changed);

/// A run in such a document, without its cases: `id`, `suite`, `started_ms`, `environment`.
nlohmann::ordered_json encode_run(const model::SuiteRun& run);

}  // namespace overlane::stats
