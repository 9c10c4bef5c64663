#pragma once

#include <nlohmann/json_fwd.hpp>

namespace overlane::model {

/// Adds to each property of the JSON Schema of a RunReport its description: one short sentence,
/// with the unit of the figure. The one list of them is in the .cpp; every property must have one.
nlohmann::ordered_json with_descriptions(nlohmann::ordered_json schema);

}  // namespace overlane::model
