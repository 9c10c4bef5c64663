#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace overlane::command {

// Arguments before CLI11 parses them, in which renamed options and habits from other programs are
// replaced, and the errors for arguments that are rejected, with a suggestion.

/// The arguments after the program's name, with renamed options replaced, and a warning on standard
/// error for each. Old names are supported but not documented.
std::vector<std::string> with_new_names(std::vector<std::string> arguments);

/// The arguments after the program's name, with common forms replaced by Overlane's: `--version` by
/// `version`, and `help VERB` by `VERB --help`.
std::vector<std::string> without_habits(std::vector<std::string> arguments);

/// The arguments, with `--node-state` added if another option of `explain` implies it.
std::vector<std::string> with_implied_options(std::vector<std::string> arguments);

/// The error if the first argument is an unknown verb; otherwise empty.
std::string unknown_verb(const CLI::App& program, const std::vector<std::string>& arguments);

/// The error for arguments that `verb` rejected, with a suggestion.
std::string refused_arguments(const CLI::App& verb, const CLI::ParseError& error);

}  // namespace overlane::command
