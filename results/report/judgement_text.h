#pragma once

#include <string>

#include "results/report/column_table.h"
#include "results/report/judgement_phrases.h"

namespace overlane::report {

/// The comparison in 80 columns: the verdict, then case by case the metrics that are not the same,
/// or all if `all`, with effect, interval, figures and reason.
std::string judgement_text(const JudgedRuns& runs, bool all, Style style);

}  // namespace overlane::report
