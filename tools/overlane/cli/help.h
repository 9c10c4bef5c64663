#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace CLI {
class FormatterBase;
class App;
}  // namespace CLI

namespace overlane::command {

/// Prints help as wide as the terminal, 80 columns without one. The verbs of a program inherit it.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// The table of exit codes, as wide as help.
std::string exit_code_help();

/// Adds text in front of the footer that a verb has from its program.
void add_to_footer(CLI::App& verb, std::string_view text);

}  // namespace overlane::command
