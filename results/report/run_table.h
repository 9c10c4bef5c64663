#pragma once

#include <cstdint>
#include <string>

#include "results/answer/document.h"
#include "results/model/run_report.h"
#include "results/model/suite_run.h"

namespace overlane::report {

// Tables and labels of runs: the figures of a RunReport side by side and over time, and the commit
// and start time that identify a run of a suite to people.

/// The beginning of a run's commit: "b27caadaa924", or "b27caadaa924-dirty".
std::string commit_text(const model::SuiteRun& run);

/// The time at which a run began, in UTC: "2026-11-26" and "2026-11-26 18:50".
std::string date_text(const model::SuiteRun& run);
std::string time_text(const model::SuiteRun& run);
/// A Unix time in milliseconds, in UTC: "2026-11-26 18:50".
std::string time_text(std::int64_t unix_ms);

/// The figures of a run as a table with one column per variant: rows for the dataplane, a group of
/// rows per traffic group (figures, drops by reason, changes against the baseline, predictions),
/// and rows for the CPU use of the nodes.
answer::Table run_figures(const model::RunReport& report);

/// The figures of all variants over time, as rows of bars that range from zero to the largest value
/// of any variant: throughput and drops of each traffic group, CPU use and the fullest queues of
/// the nodes. The section has no blocks if no variant has a series (model::Series).
answer::Section series_section(const model::RunReport& report);

}  // namespace overlane::report
