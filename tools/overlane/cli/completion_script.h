#pragma once

#include <string>

#include "tools/overlane/cli/outline.h"

namespace overlane::command {

/// A script that completes verbs, options and option values; anything else as a file name.
std::string bash_completion(const VerbOutline& program);
std::string zsh_completion(const VerbOutline& program);
std::string fish_completion(const VerbOutline& program);

}  // namespace overlane::command
