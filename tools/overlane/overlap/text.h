#pragma once

#include <cstddef>
#include <string>

#include "results/report/column_table.h"
#include "topologies/overlap/report/report.h"

namespace overlane::command {

/// The report as text: by domain, the worst first, each group of overlaps with impact, action and
/// at most `most_pairs` of its pairs.
std::string overlap_text(const overlap::OverlapReport& report, std::size_t most_pairs,
                         report::Style style);

}  // namespace overlane::command
