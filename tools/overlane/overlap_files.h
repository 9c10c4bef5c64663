#pragma once

#include <vector>

#include "tools/overlane/exit_code.h"
#include "tools/overlane/overlap_options.h"
#include "topologies/overlap/report.h"
#include "topologies/overlap/scene.h"

namespace overlane::command {

/// What was compared.
struct Compared {
  const overlap::Inventory& inventory;
  const overlap::Positions& positions;
  const std::vector<overlap::Scene>& scenes;
};

/// Writes the files that are asked for beside the result; the first that cannot be written ends it.
ExitCode write_files(const overlap::OverlapReport& report, const Compared& compared,
                     const OverlapOptions& options);

}  // namespace overlane::command
