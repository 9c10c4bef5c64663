#pragma once

#include <string>
#include <vector>

#include "scenarios/migration/inputs/load.h"
#include "scenarios/migration/inputs/strategy.h"

namespace overlane::migration {

/// A step that a person carries out.
struct OperatorStep {
  std::string action;
  std::vector<std::string> commands;  ///< Complete, but for values in <angle brackets>.
  std::string wait_for;               ///< Before the next step; empty: nothing.
};

/// Changes the Shoot's networking by a patch, in JSON.
std::string patch_command(const Loaded& loaded, const std::string& patch);

/// How to follow the strategy.
std::vector<OperatorStep> operator_steps(const Loaded& loaded, const Strategy& strategy);

}  // namespace overlane::migration
