#pragma once

#include <string>

#include "scenarios/migration/evaluate.h"

namespace overlane::command {

/// A migration as a change request, in Markdown: the verdict, the steps of the recommended
/// strategy, what to expect, how sure that is, what to do afterwards and how to go back.
std::string migration_markdown(const migration::Loaded& loaded,
                               const migration::Evaluation& evaluation);

}  // namespace overlane::command
