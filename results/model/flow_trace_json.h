#pragma once

#include <nlohmann/json_fwd.hpp>

#include "results/model/flow_trace.h"

namespace overlane::model {

/// One trace line as one line of a JSON lines file.
nlohmann::ordered_json encode(const FlowTrace& trace, const TraceLine& line);

}  // namespace overlane::model
