#pragma once

#include <string>
#include <vector>

#include "tools/overlane/cli/outline.h"

// The verbs with which a program describes itself: `reference` (Markdown and manual pages),
// `completion` (scripts for shells) and `version`. The first two are made from the outline of the
// command line, so that they cannot differ from what the program parses. `overlane` and
// `overlane-fastpath` have all three; cli/verbs.h declares them.
namespace overlane::command {

struct ManualPage {
  std::string name;  ///< "overlane-testbed-run"; its file is NAME.1.
  std::string text;  ///< In the macros of man(7).
};

/// Manual pages (section 1) of the program and each verb.
std::vector<ManualPage> manual_pages(const VerbOutline& program, const std::string& version);

/// A Markdown page of every verb and option: docs/reference/command-line.md.
std::string reference_page(const VerbOutline& program);

}  // namespace overlane::command
