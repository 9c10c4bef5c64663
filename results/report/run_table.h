#pragma once

#include <string>

#include "results/model/run_report.h"
#include "results/report/column_table.h"

namespace overlane::report {

/// A run as a table: the variants side by side (the dataplane, then a block for each traffic
/// group); then the limit of each group, the variants that did not run and why, the assumptions
/// with their sources, and the facts for repeating the run. As wide as the terminal.
std::string run_table(const model::RunReport& report, Style style);

/// The figures of run_table(), without events, series and notes: a column for each variant.
answer::Table run_figures(const model::RunReport& report);

}  // namespace overlane::report
