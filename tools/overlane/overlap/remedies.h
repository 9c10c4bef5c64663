#pragma once

#include <string>

#include "topologies/overlap/report/report.h"

namespace overlane::command {

/// The report's plan as a person reads it: what to do with each shoot, what all costs, and what is
/// left.
std::string plan_text(const overlap::OverlapReport& report);

/// A line for each of the report's proposals, and why there are no more; empty: not asked for.
std::string proposals_text(const overlap::OverlapReport& report);

}  // namespace overlane::command
