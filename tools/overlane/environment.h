#pragma once

#include "results/model/run_report.h"

namespace overlane::command {

/// This build of Overlane and the machine it runs on; "unknown" for what the system does not tell.
model::Environment this_environment();

}  // namespace overlane::command
