#pragma once

#include <string>
#include <vector>

#include "topologies/overlap/free_ranges.h"
#include "topologies/overlap/plan.h"

namespace overlane::command {

/// A plan as a person reads it: what to do with each shoot, and what all costs. `of_what_if`: it
/// mends only what comes.
std::string plan_text(const std::vector<overlap::PlanStep>& plan, bool of_what_if);

/// A line for each.
std::string proposals_text(const std::vector<overlap::Proposal>& proposals);

}  // namespace overlane::command
