#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "results/search/search.h"

namespace overlane::search {

/// The goal and what was found: `goals[]` of a report. Rates are rounded to whole packets per
/// second; what was not found is null.
nlohmann::ordered_json encode(const GoalResult& result);

/// `goals`, `trials` (their number), `trials_ns` and `loads` with each trial.
nlohmann::ordered_json encode(const SearchResult& result);

/// Why a result is irregular, and what to do about it, in the words of the options --min and --max;
/// empty if it is regular.
std::string irregularity(const GoalResult& result, const LoadRange& range);

}  // namespace overlane::search
