#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

// The verbs with which a program describes itself: `reference` (Markdown and manual pages),
// `completion` (shell scripts), `schema` (JSON Schemas of files) and `version`. `reference` and
// `completion` are generated from the outline of the command line, which is read from its parser,
// so that they always agree with it. `overlane-fastpath` has all of these verbs except `schema`.
// cli/verbs.h declares them.
namespace overlane::command {

/// The definition of one option or argument.
struct OptionOutline {
  std::vector<std::string> names;        ///< "-o", "--output"; "PATH" for an argument.
  std::string value;                     ///< "FILE"; empty for a flag or a fixed choice.
  std::vector<std::string> choices;      ///< The allowed words, if they are fixed.
  std::vector<std::string> suggestions;  ///< Words that it takes besides others.
  std::string description;
  bool is_argument = false;
  bool required = false;
  bool repeatable = false;
  std::vector<std::string> needs;     ///< Options that it requires.
  std::vector<std::string> excludes;  ///< Options that it excludes.

  bool is_flag() const { return !is_argument && value.empty() && choices.empty(); }
};

/// A verb, or the program itself.
struct VerbOutline {
  std::vector<std::string> words;  ///< "overlane", "testbed", "run".
  std::string group;               ///< Heading in help.
  std::string description;
  std::vector<OptionOutline>
      options;  ///< In the order of definition, without --help and hidden ones.
  std::vector<VerbOutline> verbs;
};

/// The outline of a program's command line, read from its parser.
VerbOutline outline(CLI::App& program);

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
