#include "tools/overlane/command_line.h"

#include <algorithm>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "tools/overlane/cli/arguments.h"
#include "tools/overlane/cli/help.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"

namespace overlane::command {
namespace {

ExitCode usage_error(const std::string& message) {
  print_error(message + "; `overlane --help` names the verbs, `overlane VERB --help` its options");
  return ExitCode::Usage;
}

/// The given verb, or the last one of a chain such as `testbed run`.
const CLI::App& innermost(const CLI::App& program) {
  const auto given = program.get_subcommands();
  return given.empty() ? program : innermost(*given.front());
}

}  // namespace

ExitCode run_command_line(int argc, const char* const* argv) {
  CLI::App program(
      "Simulate and check pod traffic of Gardener shoots, with and without an overlay network.",
      "overlane");
  program.footer(exit_code_help());
  program.formatter(help_formatter());
  program.require_subcommand(1);
  program.add_flag_function(
      "--version", [](std::int64_t) {}, "Print the version and exit");  // See without_habits().
  Action chosen;
  add_bench(program, chosen);
  add_bisect(program, chosen);
  add_calibrate(program, chosen);
  add_check(program, chosen);
  add_compare(program, chosen);
  add_decode(program, chosen);
  add_explain(program, chosen);
  add_merge(program, chosen);
  add_migrate(program, chosen);
  add_overlap(program, chosen);
  add_report(program, chosen);
  add_run(program, chosen);
  add_search(program, chosen);
  add_store(program, chosen);
  add_sweep(program, chosen);
  add_testbed(program, chosen);
  add_trace(program, chosen);
  add_trend(program, chosen);
  add_completion(program, chosen);
  add_reference(program, chosen);
  add_schema(program, chosen);
  add_version(program, chosen);

  auto arguments = without_habits({argv + std::min(argc, 1), argv + argc});
  const std::string unknown = unknown_verb(program, arguments);
  if (!unknown.empty()) return usage_error(unknown);
  try {
    arguments = with_implied_options(with_new_names(std::move(arguments)));
    std::ranges::reverse(arguments);  // CLI11 expects the arguments in reverse order.
    program.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      return usage_error(refused_arguments(innermost(program), error));
    program.exit(error);  // Prints the requested help.
    return ExitCode::Clean;
  }
  const CLI::App& verb = innermost(program);
  const ExitCode refused = check_outputs(output_files(verb), input_files(verb));
  return refused == ExitCode::Clean ? chosen() : refused;
}

}  // namespace overlane::command
