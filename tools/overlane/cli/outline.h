#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

// The outline of the command line: verbs, options, values, texts and constraints, read from the
// parser. Everything that describes the command line is generated from it (reference, manual
// pages, completion, the tools of the MCP server), so that all of them always agree with the
// parser.
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
  /// The smallest and the largest number that a numeric option accepts, as decimal digits.
  std::optional<std::pair<std::string, std::string>> range;

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

}  // namespace overlane::command
