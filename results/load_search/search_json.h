#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "results/load_search/search.h"

namespace overlane::search {

// The JSON and the explanations of a search result (search.h), as reports of load searches contain
// them.

/// The goal and its result: an entry of `goals[]` of a report. Rates are rounded to whole packets
/// per second; bounds that were not found are null.
nlohmann::ordered_json encode(const GoalResult& result);

/// `goals`, `trials` (their number), `trials_ns` and `loads` with each trial.
nlohmann::ordered_json encode(const SearchResult& result);

/// Why a result is irregular and what to do about it, in terms of the options --min and --max;
/// empty if it is regular.
std::string irregularity(const GoalResult& result, const LoadRange& range);

}  // namespace overlane::search
