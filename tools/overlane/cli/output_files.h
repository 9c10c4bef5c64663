#pragma once

#include <string>
#include <vector>

#include "tools/overlane/cli/exit_code.h"

namespace CLI {
class App;
}

namespace overlane::command {

/// A file that an option asks to be written.
struct OutputFile {
  std::string option;
  std::string file;
};

/// Of the verb that the parsed command line names: what it will write and read.
std::vector<OutputFile> output_files(const CLI::App& verb);
std::vector<std::string> input_files(const CLI::App& verb);

/// Before any work is done: refuses to write to what is read, to one file twice, and to where
/// nothing can be written, which it says on standard error.
ExitCode check_outputs(const std::vector<OutputFile>& outputs,
                       const std::vector<std::string>& inputs);

}  // namespace overlane::command
