#pragma once

#include <string>

#include "results/finding/finding.h"
#include "results/store/store.h"
#include "tools/overlane/cli/exit_code.h"

namespace CLI {
class App;
}

namespace overlane::command {

/// Adds --store FILE to a verb. Default: $OVERLANE_STORE, else overlane/results.sqlite in
/// $XDG_STATE_HOME or ~/.local/state (XDG Base Directory Specification).
void add_store_option(CLI::App& verb, std::string& file);

/// Opens the store, with --store's value. To write, makes the folder of a default file. On an
/// error, prints it and returns ExitCode::NoInput.
Result<store::Store, ExitCode> open_store(const std::string& file, store::Store::Use use);

/// The file that open_store() opens.
std::string store_file(const std::string& given);

}  // namespace overlane::command
