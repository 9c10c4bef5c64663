#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/overlane/cli/outline.h"

// The verbs with which a program describes itself: `reference` (Markdown and manual pages),
// `completion` (shell scripts), `schema` (JSON Schemas of files) and `version`. `reference` and
// `completion` are generated from the outline of the command line (cli/outline.h).
// `overlane-fastpath` has all of these verbs except `schema`. cli/verbs.h declares them.
namespace overlane::command {

/// The usage line of a verb: "overlane explain [OPTION…] PATH…".
std::string synopsis_of(const VerbOutline& verb);

/// Description and constraints of an option; option names are enclosed in `quote`.
std::string meaning_of(const OptionOutline& option, std::string_view quote);

struct ManualPage {
  std::string name;  ///< "overlane-testbed-run"; its file is NAME.1.
  std::string text;  ///< Text with macros of man(7).
};

/// Manual pages (section 1) of the program and each verb.
std::vector<ManualPage> manual_pages(const VerbOutline& program, const std::string& version);

/// A Markdown page of every verb and option: docs/reference/command-line.md.
std::string reference_page(const VerbOutline& program);

}  // namespace overlane::command
