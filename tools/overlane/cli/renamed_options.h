#pragma once

#include <string>
#include <vector>

namespace overlane::command {

/// The arguments after the program's name, with renamed options replaced, and a warning on standard
/// error for each. Old names are supported but not documented.
std::vector<std::string> with_new_names(std::vector<std::string> arguments);

}  // namespace overlane::command
