#pragma once

#include "tools/overlane/cli/verbs.h"

namespace overlane::fastpath {

void add_bench(CLI::App& program, command::Action& chosen);

}  // namespace overlane::fastpath
