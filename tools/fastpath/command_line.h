#pragma once

#include <string>

#include "dataplane/dpdk/io/eal.h"
#include "tools/overlane/cli/verbs.h"

namespace CLI {
class App;
}

namespace overlane::fastpath {

/// Adds --cores, --memory and --no-hugepages to a verb. `cores` describes the use of the cores.
void add_eal_options(CLI::App& verb, dpdk::EalOptions& options, const std::string& cores);

/// Parses the arguments of `overlane-fastpath` and runs the verb. Prints errors on standard error.
/// Throws what the verb throws.
command::ExitCode run_command_line(int argc, const char* const* argv);

}  // namespace overlane::fastpath
