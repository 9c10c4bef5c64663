#pragma once

#include "tools/overlane/cli/verbs.h"

namespace overlane::command {

/// Adds `switch` below `testbed`.
void add_testbed_switch(CLI::App& testbed, Action& chosen);

}  // namespace overlane::command
