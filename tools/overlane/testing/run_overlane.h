#pragma once

#include <string>
#include <string_view>

namespace overlane::command {

struct Answer {
  int exit_code;  ///< -1: killed by a signal.
  std::string out;
  std::string err;
};

/// Runs the built `overlane` in the source folder with arguments in shell syntax. `before` is put
/// in front of the command.
Answer run_overlane(const std::string& arguments, const std::string& before = "");

/// The text with line breaks and indentation replaced by single blanks.
std::string unwrapped(std::string_view text);

std::string read_text(const std::string& file);

/// Writes a file into the folder for temporary files of tests and returns its path.
std::string write_temporary(const std::string& name, std::string_view text);

}  // namespace overlane::command
