#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace CLI {
class FormatterBase;
class App;
}  // namespace CLI

namespace overlane::command {

/// A formatter for help as wide as the terminal (80 columns without one), inherited by all verbs.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// The table of exit codes, as wide as help.
std::string exit_code_help();

/// Adds text before the footer that a verb inherits from its program.
void add_to_footer(CLI::App& verb, std::string_view text);

}  // namespace overlane::command
