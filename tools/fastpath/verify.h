#pragma once

#include "tools/overlane/cli/verbs.h"

namespace overlane::fastpath {

/// The verb that sends a capture through a node and compares the result with the reference.
void add_verify(CLI::App& program, command::Action& chosen);

}  // namespace overlane::fastpath
