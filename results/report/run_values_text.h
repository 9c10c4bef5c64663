#pragma once

#include <string>

#include "results/model/flow_trace.h"
#include "results/model/suite_run.h"
#include "results/report/column_table.h"

namespace overlane::report {

/// What a run of a suite measured: case by case the metrics, of times the medians; and why a case
/// is not complete.
std::string run_values_text(const model::SuiteRun& run, Style style);

/// The same as CSV, a line for each metric. The cells of a matrix ("runs/nodes=10") have a column
/// for each of its names.
std::string run_values_csv(const model::SuiteRun& run);

/// A trace as text: one line per event in order of time, with the delay from the previous place;
/// then the time of all packets per leg.
std::string flow_trace_text(const model::FlowTrace& trace);

}  // namespace overlane::report
