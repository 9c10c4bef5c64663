#include <exception>
#include <string>

#include "tools/fastpath/command_line.h"
#include "tools/overlane/cli/output.h"

int main(int argc, char** argv) {
  using overlane::command::ExitCode;
  ExitCode code = ExitCode::Internal;
  try {
    code = overlane::fastpath::run_command_line(argc, argv);
  } catch (const std::exception& error) {
    overlane::command::print_error(std::string("internal error: ") + error.what());
  }
  return static_cast<int>(code);
}
