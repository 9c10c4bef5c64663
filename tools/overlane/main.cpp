#include <csignal>
#include <exception>
#include <string>
#include <unistd.h>

#include "tools/overlane/cli/output.h"
#include "tools/overlane/command_line.h"

namespace {

extern "C" void end_on_interrupt(int) {
  _exit(static_cast<int>(overlane::command::ExitCode::Interrupted));
}

}  // namespace

int main(int argc, char** argv) {
  using overlane::command::ExitCode;
  std::signal(SIGINT, end_on_interrupt);
  ExitCode code = ExitCode::Internal;
  try {
    code = overlane::command::run_command_line(argc, argv);
  } catch (const std::exception& error) {
    overlane::command::print_error(std::string("internal error: ") + error.what());
  } catch (...) {
    overlane::command::print_error("internal error");
  }
  return static_cast<int>(code);
}
