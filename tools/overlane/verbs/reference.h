#pragma once

#include <string>

#include "tools/overlane/cli/outline.h"

namespace overlane::command {

/// A Markdown page of every verb and option: docs/reference/command-line.md.
std::string reference_page(const VerbOutline& program);

}  // namespace overlane::command
