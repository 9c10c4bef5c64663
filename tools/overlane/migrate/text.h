#pragma once

#include <string>

#include "results/report/column_table.h"
#include "scenarios/migration/evaluate.h"

namespace overlane::command {

/// A migration as text: the verdict, the recommended strategy with its steps, all strategies,
/// uncertain parameters and leftovers.
std::string migration_text(const migration::Loaded& loaded, const migration::Evaluation& evaluation,
                           report::Style style);

/// What the components did under the recommended strategy, line by line.
std::string migration_steps(const migration::Evaluation& evaluation);

}  // namespace overlane::command
