#pragma once

#include <nlohmann/json_fwd.hpp>

namespace overlane::model {

/// Adds a description to each property of the JSON Schema of a RunReport: one short sentence, with
/// the unit of the figure. The .cpp file lists all descriptions; every property must have one.
nlohmann::ordered_json with_descriptions(nlohmann::ordered_json schema);

}  // namespace overlane::model
