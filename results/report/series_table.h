#pragma once

#include <string>

#include "results/model/run_report.h"
#include "results/report/column_table.h"

namespace overlane::report {

/// The figures of all variants over time, as rows of bars from zero to the largest of any variant:
/// goodput and drops of each traffic group, CPU use and the fullest queues of the nodes. Empty when
/// no variant has a series.
std::string series_table(const model::RunReport& report, Style style);

}  // namespace overlane::report
