#pragma once

#include <string>

#include "results/model/run_environment.h"

namespace overlane::command {

/// The folder of the program that runs, where a build's other programs are, too.
std::string folder_of_this_program();

/// The environment that the `overlane` in a build's folder reports, on this machine as it is now;
/// "unknown" for fields that it does not report.
model::Environment environment_of_build(const std::string& folder);

}  // namespace overlane::command
