#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace overlane::command {

/// The arguments behind the program's name in our own form: `--version` is `version`, and `help
/// VERB` is `VERB --help`.
std::vector<std::string> without_habits(std::vector<std::string> arguments);

/// The same with `--node-state` where an option of `explain` implies it.
std::vector<std::string> with_implied_options(std::vector<std::string> arguments);

/// Empty, or what is wrong with the first argument if it is meant as a verb and is none.
std::string unknown_verb(const CLI::App& program, const std::vector<std::string>& arguments);

/// What is wrong with arguments that `verb` refused, and what is meant instead.
std::string refused_arguments(const CLI::App& verb, const CLI::ParseError& error);

}  // namespace overlane::command
