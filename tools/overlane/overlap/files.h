#pragma once

#include "tools/overlane/cli/exit_code.h"
#include "tools/overlane/overlap/options.h"
#include "topologies/overlap/analyze/analyze.h"

namespace overlane::command {

/// Writes the SVG, HTML, SARIF and JUnit files of the options. Stops at the first that fails.
ExitCode write_files(const overlap::Analysis& analysis, const OverlapOptions& options);

}  // namespace overlane::command
