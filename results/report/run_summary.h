#pragma once

#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "results/report/column_table.h"

namespace overlane::report {

/// A run on one screen of 80 columns and 24 lines, for `overlane run --summary`: how much better or
/// worse each variant is than the baseline, one row per traffic group with the baseline's figure
/// and the changes of the others, and the number of assumptions. Rows and sentences that do not fit
/// are omitted and counted; long names can exceed the columns.
std::string run_summary(const model::RunReport& report, Style style);

/// All sentences of the summary: the verdict on each variant (variants without results first, then
/// those with the largest effects), then order_text() if the order depends on the traffic.
std::vector<std::string> verdict_texts(const model::RunReport& report);

/// Drops and interrupted flows of the variants.
std::vector<std::string> loss_texts(const model::RunReport& report);

/// How certain the figures are, in one or two sentences; empty if CPU time is free or was measured.
std::string certainty_text(const model::RunReport& report);

}  // namespace overlane::report
