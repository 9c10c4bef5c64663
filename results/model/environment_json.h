#pragma once

#include <nlohmann/json_fwd.hpp>

#include "results/model/environment.h"

namespace overlane {
class JsonReader;
}

namespace overlane::model {

/// The `environment` of a report.
nlohmann::ordered_json encode(const Environment& environment);
Environment decode_environment(const JsonReader& json);

}  // namespace overlane::model
