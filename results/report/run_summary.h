#pragma once

#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "results/report/column_table.h"

namespace overlane::report {

/// A run on one screen of 80 columns and 24 lines, for `overlane run --summary`. It has verdicts on
/// the variants, a table with one row per traffic group (the baseline's figure and the changes of
/// the other variants), and the number of assumptions. Rows and sentences that do not fit are
/// omitted, and the summary says how many. Long names can exceed the 80 columns.
std::string run_summary(const model::RunReport& report, Style style);

/// All sentences of the summary: the verdict on each variant (variants without results first, then
/// those with the largest effects), then order_text() if the order depends on the traffic.
std::vector<std::string> verdict_texts(const model::RunReport& report);

/// "shoot garden-dev/a (now ipip)": the shoot, and the variant that it has now; empty without a
/// shoot.
std::string shoot_text(const model::RunReport& report);

/// Sentences about drops and interrupted flows of the variants.
std::vector<std::string> loss_texts(const model::RunReport& report);

/// A sentence that names what the input asks for and the program does not model; empty if there is
/// nothing.
std::string left_out_text(const model::RunReport& report);

/// One or two sentences on the certainty of the figures; empty if CPU time is free or was measured.
std::string certainty_text(const model::RunReport& report);

}  // namespace overlane::report
