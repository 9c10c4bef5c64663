#pragma once

#include <utility>
#include <vector>

#include "tools/overlane/exit_code.h"
#include "tools/overlane/overlap_options.h"
#include "topologies/overlap/report.h"
#include "topologies/overlap/scene.h"

namespace overlane::command {

/// What is compared. Scenes point into the inventory.
struct Compared {
  explicit Compared(overlap::Inventory all)
      : inventory(std::move(all)),
        positions(overlap::locate(inventory)),
        scenes(overlap::scenes(inventory, positions)) {}
  Compared(const Compared&) = delete;

  overlap::Inventory inventory;
  overlap::Positions positions;
  std::vector<overlap::Scene> scenes;
};

/// Writes the files that are asked for beside the result; the first that cannot be written ends it.
ExitCode write_files(const overlap::OverlapReport& report, const Compared& compared,
                     const OverlapOptions& options);

}  // namespace overlane::command
