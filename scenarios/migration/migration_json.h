#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scenarios/migration/assess.h"

namespace overlane::migration {

/// The JSON of `overlane migrate`: kind "Migration". Times are in nanoseconds.
nlohmann::ordered_json encode(const Assessment& assessment, const EvaluationOptions& options);

}  // namespace overlane::migration
