#pragma once

#include <optional>

#include "dataplane/net/units.h"
#include "results/model/run_report.h"

namespace overlane::command {

/// This build of Overlane and its machine; "unknown" for unavailable values.
model::Environment this_environment();

/// Available memory (MemAvailable of /proc/meminfo), or nothing.
std::optional<Bytes> available_memory();

}  // namespace overlane::command
