#pragma once

#include <string>

#include "results/model/flow_trace.h"
#include "results/model/suite_run.h"
#include "results/report/column_table.h"

namespace overlane::report {

// Measured values without a judgement: the metrics of one run of a suite, and the trace of a flow
// packet by packet.

/// The metrics of a run of a suite by case; a time is the median of its samples. Incomplete cases
/// are shown with the reason.
std::string run_values_text(const model::SuiteRun& run, Style style);

/// The metrics of a run of a suite as CSV, one line per metric. Cases that are cells of a matrix
/// ("runs/nodes=10") have a column for each name of the matrix.
std::string run_values_csv(const model::SuiteRun& run);

/// A trace as text: one line per event in order of time, with the delay from the previous place;
/// then the total time of all packets on each leg.
std::string flow_trace_text(const model::FlowTrace& trace);

}  // namespace overlane::report
