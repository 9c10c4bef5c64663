#pragma once

#include <cstddef>
#include <string>

#include "results/report/column_table.h"
#include "topologies/overlap/report/report.h"

namespace overlane::command {

struct OverlapTextStyle {
  std::size_t most_pairs = 5;  ///< Of each group.
  bool only_summary = false;   ///< Without the overlaps: errors by network, plan and counts.
  report::Style style = report::Style::Plain;
};

/// The report as text: by domain, the worst first, each group of overlaps with impact, action and
/// pairs.
std::string overlap_text(const overlap::OverlapReport& report, const OverlapTextStyle& style);

}  // namespace overlane::command
