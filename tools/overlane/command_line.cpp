#include "tools/overlane/command_line.h"

#include <algorithm>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/output_files.h"
#include "tools/overlane/cli/renamed_options.h"
#include "tools/overlane/cli/verbs.h"

namespace overlane::command {
namespace {

std::string exit_code_help() {
  std::string text = "Exit codes:";
  for (const ExitCodeFacts& facts : kExitCodes)
    text += fmt::format("\n  {:<4}{}", static_cast<int>(facts.code), facts.meaning);
  return text;
}

/// The verb, when the first argument is meant as one and is none of ours.
std::string unknown_verb(const CLI::App& program, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  const auto is_meant = [&](const CLI::App* verb) { return verb->get_name() == argv[1]; };
  if (!program.get_subcommands(is_meant).empty()) return "";
  return argv[1];
}

ExitCode usage_error(const std::string& message) {
  print_error(message + "; `overlane --help` names the verbs, `overlane VERB --help` its options");
  return ExitCode::Usage;
}

/// The verb that was given, or what it is followed by, as in `testbed run`.
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
  program.require_subcommand(1);
  Action chosen;
  add_calibrate(program, chosen);
  add_check(program, chosen);
  add_decode(program, chosen);
  add_explain(program, chosen);
  add_overlap(program, chosen);
  add_run(program, chosen);
  add_testbed(program, chosen);
  add_trace(program, chosen);
  add_completion(program, chosen);
  add_reference(program, chosen);
  add_schema(program, chosen);
  add_version(program, chosen);

  const std::string unknown = unknown_verb(program, argc, argv);
  if (!unknown.empty()) return usage_error(fmt::format("there is no verb \"{}\"", unknown));
  try {
    auto arguments = with_new_names({argv + std::min(argc, 1), argv + argc});
    std::ranges::reverse(arguments);  // CLI11 takes the last one first.
    program.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return usage_error(error.what());
    program.exit(error);  // Prints the help that was asked for.
    return ExitCode::Clean;
  }
  const CLI::App& verb = innermost(program);
  const ExitCode refused = check_outputs(output_files(verb), input_files(verb));
  return refused == ExitCode::Clean ? chosen() : refused;
}

}  // namespace overlane::command
