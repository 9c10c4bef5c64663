#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/finding/finding.h"

namespace overlane::command {

/// Runs the command of this process once more, inside Debian's user-mode Linux, and returns the
/// JSON document that it writes there. Options for the place and for files of results are left out
/// of the inner command line; `more`, the options that make it write a document, are added, and
/// then a file name. Fails if that kernel does not start or writes nothing.
Parsed<nlohmann::ordered_json> result_in_user_mode_linux(const std::vector<std::string>& more);

}  // namespace overlane::command
