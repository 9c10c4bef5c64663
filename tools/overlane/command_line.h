#pragma once

#include "tools/overlane/cli/verbs.h"

namespace overlane::command {

/// Parses the arguments of `overlane` and runs the verb. Prints errors on standard error. Throws
/// what the verb throws.
ExitCode run_command_line(int argc, const char* const* argv);

}  // namespace overlane::command
