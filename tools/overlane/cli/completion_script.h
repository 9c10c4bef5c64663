#pragma once

#include <string>

#include "tools/overlane/cli/outline.h"

namespace overlane::command {

/// A script that completes verbs, options and the words that options take; what else stands on a
/// command line is completed as a file.
std::string bash_completion(const VerbOutline& program);
std::string zsh_completion(const VerbOutline& program);
std::string fish_completion(const VerbOutline& program);

}  // namespace overlane::command
