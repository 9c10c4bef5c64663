#pragma once

#include <string>

#include "results/finding/finding.h"
#include "results/model/suite_run.h"
#include "tools/overlane/cli/exit_code.h"

namespace overlane::command {

/// What a text on the command line may name a run by, for help texts.
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

}  // namespace overlane::command
