#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace overlane::command {

/// What the command line's definition says about one option or argument.
struct OptionOutline {
  std::vector<std::string> names;    ///< "-o", "--output"; an argument's is its name: "PATH".
  std::string value;                 ///< "FILE"; empty for a flag and for a choice.
  std::vector<std::string> choices;  ///< The words that it takes, if these are known.
  std::string description;
  bool is_argument = false;
  bool required = false;
  bool repeatable = false;
  std::vector<std::string> needs;     ///< Options that it is of use with only.
  std::vector<std::string> excludes;  ///< Options that it cannot stand beside.

  bool is_flag() const { return !is_argument && value.empty() && choices.empty(); }
};

/// A verb, or the program itself.
struct VerbOutline {
  std::vector<std::string> words;  ///< "overlane", "testbed", "run".
  std::string description;
  std::vector<OptionOutline> options;  ///< As defined, without --help and what is hidden.
  std::vector<VerbOutline> verbs;
};

/// The whole command line of a program, as its parser has it.
VerbOutline outline(const CLI::App& program);

/// "overlane explain [OPTION…] PATH…".
std::string synopsis_of(const VerbOutline& verb);

/// What an option does and when it may be given; names of options between two of `quote`.
std::string meaning_of(const OptionOutline& option, std::string_view quote);

}  // namespace overlane::command
