#pragma once

#include "tools/overlane/cli/verbs.h"

namespace overlane::fastpath {

/// `overlane-fastpath search`.
void add_search(CLI::App& program, command::Action& chosen);

}  // namespace overlane::fastpath
