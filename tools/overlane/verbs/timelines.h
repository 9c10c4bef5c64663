#pragma once

#include <string>

#include "results/model/run_report.h"
#include "scenarios/migration/assess.h"

// Simulated time as files in the Trace Event Format, for ui.perfetto.dev: `migrate --perfetto` and
// `run --perfetto`. The time of a switch begins with the change of the Shoot, that of a run with
// its start.
namespace overlane::command {

/// One process per strategy: a track per component with its steps, a slice for the whole switch,
/// and the number of interrupted ordered pairs of nodes as a counter. Shows the first run.
std::string migration_timeline(const migration::Evaluation& evaluation);

/// One process per run of a variant, named by its traffic: goodput, packets and drops of each
/// traffic, CPU use and queues as counters. Variants without series have none.
std::string run_timeline(const model::RunReport& report);

}  // namespace overlane::command
