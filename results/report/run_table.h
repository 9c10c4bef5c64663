#pragma once

#include "results/answer/document.h"
#include "results/model/run_report.h"

namespace overlane::report {

/// The figures of a run as a table, the variants side by side: the dataplane, a group of rows for
/// each traffic group (figures, drops by reason, changes against the baseline, predictions), and
/// the CPU use of the nodes.
answer::Table run_figures(const model::RunReport& report);

}  // namespace overlane::report
