#pragma once

#include "tools/overlane/cli/verbs.h"

namespace overlane::fastpath {

/// The verb that forwards between real ports until it is stopped.
void add_forward(CLI::App& program, command::Action& chosen);

}  // namespace overlane::fastpath
