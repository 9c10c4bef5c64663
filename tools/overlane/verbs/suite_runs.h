#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "results/model/run_environment.h"
#include "results/model/suite_run.h"
#include "results/stats/judge.h"
#include "results/store/store.h"
#include "tools/overlane/cli/verbs.h"

namespace CLI {
class App;
}

namespace overlane::command {

// Runs of suites for the verbs that measure and judge them (`bench`, `bisect`, `sweep`, `compare`,
// `trend`, `report`, `store`): the store that keeps them, references to a run on the command line
// ("latest~1", a commit, a file), the history of a suite, the limits to judge by, and the builds
// that are measured. Functions that fail print the error and return the exit code.

/// Adds --store FILE to a verb. Default: $OVERLANE_STORE, else overlane/results.sqlite in
/// $XDG_STATE_HOME or ~/.local/state (XDG Base Directory Specification).
void add_store_option(CLI::App& verb, std::string& file);

/// Opens the store, with --store's value. To write, makes the folder of a default file. On an
/// error, prints it and returns ExitCode::NoInput.
Result<store::Store, ExitCode> open_store(const std::string& file, store::Store::Use use);

/// The file that open_store() opens.
std::string store_file(const std::string& given);

/// The names that a run may have on the command line, for help texts.
inline constexpr const char* kRunReferenceHelp =
    "latest, latest~N (N complete runs before it), the beginning of a run's id or of its commit, "
    "or a file: a SuiteRun, RunReport, FastpathReport or Google Benchmark's JSON";

/// The run that `text` names: a file if there is one of that name, otherwise a run of the store in
/// `store_file`. Of several runs of a commit it is the latest complete one. On an error, prints it
/// and returns ExitCode::NoInput.
///
/// `suite`: which suite's runs `latest` counts; empty: all.
Result<model::SuiteRun, ExitCode> find_run(const std::string& text, const std::string& store_file,
                                           const std::string& suite = "");

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

/// Adds --limit TOLERANCE=PERCENT to a verb.
void add_limit_option(CLI::App& verb, std::vector<std::string>& given);

/// The limits to judge `changed` by: those of --limit, and the noise of the latest A/A run of its
/// suite on its class of machine, if the store has one. An error if the noise of a metric is above
/// a limit of --limit: nothing that it calls worse could be believed.
Parsed<stats::JudgementLimits> limits_for(const model::SuiteRun& changed,
                                          const std::vector<std::string>& given,
                                          const store::Store* store);

/// The folder of the program that runs, where a build's other programs are, too.
std::string folder_of_this_program();

/// The environment that the `overlane` in a build's folder reports, on this machine as it is now;
/// "unknown" for fields that it does not report.
model::Environment environment_of_build(const std::string& folder);

}  // namespace overlane::command
