#pragma once

#include <optional>

#include "dataplane/net/units.h"
#include "results/model/run_report.h"

namespace overlane::command {

/// This build of Overlane and the machine it runs on; "unknown" for what the system does not tell.
model::Environment this_environment();

/// What programs may take without others having to give it back (MemAvailable of /proc/meminfo);
/// nothing where the system does not tell.
std::optional<Bytes> available_memory();

}  // namespace overlane::command
