#pragma once

#include <nlohmann/json_fwd.hpp>

#include "results/model/series.h"

namespace overlane {
class JsonReader;
}

namespace overlane::model {

/// One element of a variant's `series` in the RunReport: `end_ns` of the intervals, and arrays with
/// one value per interval.
nlohmann::ordered_json encode(const Series& series);
Series decode_series(const JsonReader& json);

}  // namespace overlane::model
