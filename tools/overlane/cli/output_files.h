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

/// Checks the outputs before any work. Prints an error on standard error if an output is also an
/// input, is given twice or is not writable.
ExitCode check_outputs(const std::vector<OutputFile>& outputs,
                       const std::vector<std::string>& inputs);

}  // namespace overlane::command
