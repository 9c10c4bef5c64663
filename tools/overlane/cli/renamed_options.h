#pragma once

#include <string>
#include <vector>

namespace overlane::command {

/// The arguments behind the program's name, with the new names of options that were renamed, and a
/// warning on standard error for each. The old names are supported, but shown nowhere.
std::vector<std::string> with_new_names(std::vector<std::string> arguments);

}  // namespace overlane::command
