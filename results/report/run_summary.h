#pragma once

#include <string>

#include "results/model/run_report.h"
#include "results/report/column_table.h"

namespace overlane::report {

/// A run on one screen of 80 columns: how much better or worse each variant is than the baseline,
/// one row per traffic group with the baseline's figure and the others' change, and how much is
/// assumed. A terminal of 24 lines has room for it and a few lines more. What does not fit is left
/// out and counted; names that are long themselves can exceed the columns.
std::string run_summary(const model::RunReport& report, Style style);

}  // namespace overlane::report
