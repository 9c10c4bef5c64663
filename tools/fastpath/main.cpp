#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include "tools/fastpath/command_line.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"

namespace overlane::fastpath {
namespace {

/// Parses the arguments and runs the verb. Prints errors on standard error. Passes on exceptions of
/// the verb.
command::ExitCode run_command_line(int argc, const char* const* argv) {
  CLI::App program("Forwards packets as a shoot's node does, on DPDK.", "overlane-fastpath");
  program.require_subcommand(1);
  command::Action chosen;
  add_forward(program, chosen);
  add_verify(program, chosen);
  fastpath::add_bench(program, chosen);
  fastpath::add_search(program, chosen);
  command::add_verb(program, command::verb_facts("completion"), chosen);
  command::add_verb(program, command::verb_facts("reference"), chosen);
  command::add_verb(program, command::verb_facts("version"), chosen);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      program.exit(error);  // Prints the requested help.
      return command::ExitCode::Clean;
    }
    command::print_error(std::string(error.what()) + "; see `overlane-fastpath --help`");
    return command::ExitCode::Usage;
  }
  return chosen();
}

}  // namespace
}  // namespace overlane::fastpath

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
