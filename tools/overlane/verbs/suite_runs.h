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

// Runs of suites, for the verbs that measure and judge them (`bench`, `bisect`, `sweep`, `compare`,
// `trend`, `report`, `store`): the store of runs, references to a run on the command line
// ("latest~1", a commit, a file), the history of a suite, the limits for judgements, and the
// measured builds. A function that returns an ExitCode on failure has already printed the error.

/// Adds --store FILE to a verb. Default: $OVERLANE_STORE, else overlane/results.sqlite in
/// $XDG_STATE_HOME or ~/.local/state (XDG Base Directory Specification).
void add_store_option(CLI::App& verb, std::string& file);

/// Opens the store with the value of --store. For writing, creates the folder of the default file.
/// On an error, prints it and returns ExitCode::NoInput.
Result<store::Store, ExitCode> open_store(const std::string& file, store::Store::Use use);

/// The file that open_store() opens.
std::string store_file(const std::string& given);

/// Help text: the forms of a reference to a run on the command line.
inline constexpr const char* kRunReferenceHelp =
    "latest, latest~N (N complete runs before it), the beginning of a run's id or of its commit, "
    "or a file: a SuiteRun, RunReport, FastpathReport or Google Benchmark's JSON";

/// Finds the run to which `text` refers: a file if one with that name exists, otherwise a run of
/// the store in `store_file`. For a commit with several runs, it is the latest complete one. On an
/// error, prints it and returns ExitCode::NoInput.
///
/// `suite`: only runs of this suite count for `latest`; empty: runs of all suites.
Result<model::SuiteRun, ExitCode> find_run(const std::string& text, const std::string& store_file,
                                           const std::string& suite = "");

/// Selects runs of a suite whose history a verb shows.
struct HistoryOptions {
  std::string store;
  std::string suite;
  std::uint32_t last = 60;
};

/// Adds --store, --suite and --last to a verb.
void add_history_options(CLI::App& verb, HistoryOptions& options);

/// Returns complete runs of one suite with their cases, the oldest first: the latest runs, and the
/// bases that were measured together with them. On an error, prints it and returns
/// ExitCode::NoInput.
Result<std::vector<model::SuiteRun>, ExitCode> load_history(const HistoryOptions& options);

/// Adds the required argument or option `name`: a Suite file, or the name of a built-in suite.
void add_suite_file(CLI::App& verb, const std::string& name, std::string& suite);

/// Adds --limit TOLERANCE=PERCENT to a verb.
void add_limit_option(CLI::App& verb, std::vector<std::string>& given);

/// The limits for judging `changed`: those of --limit, and the noise in the latest A/A run of its
/// suite on its class of machine, if the store has one. Fails if the noise of a metric exceeds a
/// limit of --limit, because judgements by that limit would be unreliable.
Parsed<stats::JudgementLimits> limits_for(const model::SuiteRun& changed,
                                          const std::vector<std::string>& given,
                                          const store::Store* store);

/// The folder of the running program, which also contains the build's other programs.
std::string folder_of_this_program();

/// The environment that the `overlane` in a build's folder reports on this machine now. Fields that
/// it does not report are "unknown".
model::Environment environment_of_build(const std::string& folder);

}  // namespace overlane::command
