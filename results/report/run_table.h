#pragma once

#include <string>

#include "results/model/run_report.h"
#include "results/report/column_table.h"

namespace overlane::report {

/// A run as a person reads it: the variants side by side (their dataplane, then a block for each
/// traffic group), what limits each group, which variants did not run and why, the assumptions with
/// their sources, and what is needed to repeat the run. Plain text as wide as the terminal.
std::string run_table(const model::RunReport& report, Style style);

}  // namespace overlane::report
