#include "tools/fastpath/command_line.h"

#include <CLI/CLI.hpp>

#include "tools/fastpath/bench.h"
#include "tools/fastpath/forward.h"
#include "tools/fastpath/search.h"
#include "tools/fastpath/verify.h"
#include "tools/overlane/cli/output.h"

namespace overlane::fastpath {

void add_eal_options(CLI::App& verb, dpdk::EalOptions& options, const std::string& cores) {
  verb.add_option("--cores,--core", options.cores, cores)
      ->type_name("CORE[,CORE...]")
      ->delimiter(',')
      ->check(CLI::Range(0, 1023));
  verb.add_option("--memory", options.memory_mib, "MiB for tables and packets")
      ->check(CLI::Range(128, 1 << 20));
  verb.add_flag_callback(
      "--no-hugepages", [&options] { options.hugepages = false; }, "Use ordinary memory");
}

command::ExitCode run_command_line(int argc, const char* const* argv) {
  CLI::App program("Forwards packets as a shoot's node does, on DPDK.", "overlane-fastpath");
  program.require_subcommand(1);
  command::Action chosen;
  add_forward(program, chosen);
  add_verify(program, chosen);
  fastpath::add_bench(program, chosen);
  fastpath::add_search(program, chosen);
  command::add_completion(program, chosen);
  command::add_reference(program, chosen);
  command::add_version(program, chosen);
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

}  // namespace overlane::fastpath
