#pragma once

#include "tools/overlane/exit_code.h"
#include "tools/overlane/overlap_compared.h"
#include "tools/overlane/overlap_options.h"
#include "topologies/overlap/report.h"

namespace overlane::command {

/// Writes the files that are asked for beside the result; the first that cannot be written ends it.
ExitCode write_files(const overlap::OverlapReport& report, const Compared& compared,
                     const OverlapOptions& options);

}  // namespace overlane::command
