#pragma once

#include <nlohmann/json_fwd.hpp>

#include "results/finding/finding.h"

namespace overlane {

class JsonReader;

/// The JSON form of `findings[]`: rule, severity, message, object{kind,namespace,name}, path, file,
/// line, column, hint. Unknown locations are null. A message begins with the object's
/// namespace/name.
nlohmann::ordered_json encode(const Findings& findings);
/// The findings of such a list.
Findings decode_findings(const JsonReader& json);

}  // namespace overlane
