#pragma once

#include <string>

#include "topologies/overlap/report/report.h"

namespace overlane::command {

/// The report's plan: the change of each shoot, the total cost, and unresolved findings.
std::string plan_text(const overlap::OverlapReport& report);

/// One line per proposal, and why there are no more; empty if not requested.
std::string proposals_text(const overlap::OverlapReport& report);

}  // namespace overlane::command
