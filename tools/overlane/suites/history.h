#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "results/model/suite_run.h"
#include "tools/overlane/cli/exit_code.h"

namespace CLI {
class App;
}

namespace overlane::command {

/// Which runs of a suite a verb looks back at.
struct HistoryOptions {
  std::string store;
  std::string suite;
  std::uint32_t last = 60;
};

/// Adds --store, --suite and --last to a verb.
void add_history_options(CLI::App& verb, HistoryOptions& options);

/// The complete runs of one suite with their cases, the oldest first: the latest ones, and the
/// bases that they were measured beside. On an error, prints it and returns ExitCode::NoInput.
Result<std::vector<model::SuiteRun>, ExitCode> load_history(const HistoryOptions& options);

}  // namespace overlane::command
