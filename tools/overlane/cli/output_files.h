#pragma once

#include <string>
#include <vector>

#include "tools/overlane/cli/exit_code.h"

namespace CLI {
class App;
}

namespace overlane::command {

/// An output file of an option.
struct OutputFile {
  std::string option;
  std::string file;
};

/// The output and input files of the verb in the parsed command line.
std::vector<OutputFile> output_files(const CLI::App& verb);
std::vector<std::string> input_files(const CLI::App& verb);

/// Checks before any work: refuses to write to an input, to one file twice, and to an unwritable
/// path, with an error on standard error.
ExitCode check_outputs(const std::vector<OutputFile>& outputs,
                       const std::vector<std::string>& inputs);

}  // namespace overlane::command
