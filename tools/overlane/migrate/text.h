#pragma once

#include <string>

#include "results/report/column_table.h"
#include "scenarios/migration/assess.h"

namespace overlane::command {

/// A migration as text: the verdict, the recommended strategy with its steps, all strategies,
/// uncertain parameters and leftovers.
std::string migration_text(const migration::Assessment& assessment, report::Style style);

/// The recommended strategy over time: which share of the pairs of nodes is interrupted, and what
/// the components do, line by line.
std::string migration_steps(const migration::Assessment& assessment, report::Style style);

}  // namespace overlane::command
