#pragma once

#include "tools/overlane/cli/exit_code.h"

namespace overlane::fastpath {

/// Parses the arguments of `overlane-fastpath` and runs the verb. Prints errors on standard error.
/// Throws what the verb throws.
command::ExitCode run_command_line(int argc, const char* const* argv);

}  // namespace overlane::fastpath
