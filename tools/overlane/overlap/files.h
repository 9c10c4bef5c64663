#pragma once

#include "tools/overlane/cli/exit_code.h"
#include "tools/overlane/overlap/compared.h"
#include "tools/overlane/overlap/options.h"
#include "topologies/overlap/report/report.h"

namespace overlane::command {

/// Writes the files that are asked for beside the result; the first that cannot be written ends it.
ExitCode write_files(const overlap::OverlapReport& report, const Compared& compared,
                     const OverlapOptions& options);

}  // namespace overlane::command
