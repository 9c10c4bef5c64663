#pragma once

#include <string>
#include <vector>

#include "tools/overlane/cli/progress_line.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::command {

/// All documents of all paths, which may name library files (topology_library::read_manifests). A
/// path that cannot be read is a finding. 0 threads: one per core. `line` shows how much is read.
document::Stream read_all(const std::vector<std::string>& paths, unsigned threads,
                          StepsLine* line = nullptr);

}  // namespace overlane::command
