#pragma once

#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "results/report/column_table.h"

namespace overlane::report {

/// A run on one screen of 80 columns and 24 lines: how much better or worse each variant is than
/// the baseline, one row per traffic group with the baseline's figure and the changes of the
/// others, and the number of assumptions. What does not fit is omitted and counted; long names can
/// exceed the columns.
std::string run_summary(const model::RunReport& report, Style style);

/// The sentences of the summary, whole: the verdict on each variant, those without results first
/// and then the largest effect first; then, if the order of variants depends on the traffic, how.
std::vector<std::string> verdict_texts(const model::RunReport& report);

/// What the variants dropped and which flows they interrupted.
std::vector<std::string> loss_texts(const model::RunReport& report);

/// How far to trust the figures, in a sentence or two; empty if CPU time is free, or measured.
std::string certainty_text(const model::RunReport& report);

}  // namespace overlane::report
