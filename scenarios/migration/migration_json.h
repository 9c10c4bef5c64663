#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scenarios/migration/evaluate.h"

namespace overlane::migration {

/// The JSON of `overlane migrate`: kind "Migration". Times are in nanoseconds.
nlohmann::ordered_json encode(const Loaded& loaded, const Evaluation& evaluation,
                              const EvaluationOptions& options);

}  // namespace overlane::migration
