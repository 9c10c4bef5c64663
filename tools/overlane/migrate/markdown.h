#pragma once

#include <string>

#include "scenarios/migration/assess.h"

namespace overlane::command {

/// A migration as a change request, in Markdown: the verdict, the steps of the recommended
/// strategy, what to expect, how sure that is, what to do afterwards and how to go back.
std::string migration_markdown(const migration::Assessment& assessment);

}  // namespace overlane::command
