#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "topologies/document/fields/fields.h"

namespace overlane::command {

namespace {

// Processing of arguments before CLI11 parses them: replaces renamed options and common forms of
// other programs. Also the errors for rejected arguments, with a suggestion.

struct RenamedOption {
  std::string_view verb;
  std::string_view old_name;
  std::string_view new_name;
};

constexpr RenamedOption kRenamedOptions[] = {
    {"explain", "--diff", "--patch"},
    {"explain", "--against", "--compare-to"},
    {"trace", "--diff", "--patch"},
};

bool names_option(std::string_view argument, std::string_view option) {
  return argument == option ||
         (argument.starts_with(option) && argument.substr(option.size()).starts_with('='));
}

/// The arguments after the program's name, with renamed options replaced. Prints a warning on
/// standard error for each. Old names are supported but not documented.
std::vector<std::string> with_new_names(std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    for (const auto& [verb, old_name, new_name] : kRenamedOptions) {
      if (arguments.front() != verb || !names_option(argument, old_name)) continue;
      print_aside(fmt::format("{}: warning: {} is now called {}; the old name will be removed\n",
                              program_invocation_short_name, old_name, new_name));
      argument.replace(0, old_name.size(), new_name);
      break;
    }
  }
  return arguments;
}

constexpr std::string_view kPaths =
    "files and folders are plain arguments, and - is standard input";

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> words(known.begin(), known.end());
  const std::string_view meant = document::closest(word, words);
  return meant.empty() ? "" : fmt::format("; did you mean {}?", meant);
}

std::vector<std::string> long_options(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

/// Whether an option names a file in kubectl.
bool names_a_file(std::string_view option) {
  return option == "-f" || option == "--filename" || option == "--file";
}

/// A verb or an option of other programs, and what it is here.
struct Habit {
  std::string_view word;
  std::string_view hint;
};

constexpr Habit kOptionHabits[] = {
    {"-n", "--shoot NAMESPACE/NAME names a shoot"},
    {"--namespace", "--shoot NAMESPACE/NAME names a shoot"},
    {"--kubeconfig", "overlane reads files: `kubectl get shoots -A -o yaml | overlane VERB -`"},
    {"--context", "overlane reads files: `kubectl get shoots -A -o yaml | overlane VERB -`"},
    {"--dry-run", "overlane changes no cluster"},
    {"--format", "-o names the format"},
    {"--yaml", "give -o json, which is YAML, too"},
    {"--colour", "--color takes auto, always or never"},
};

constexpr Habit kVerbHabits[] = {
    {"apply", "overlane changes no cluster; migrate prints the steps of a switch"},
    {"collisions", "did you mean overlap?"},
    {"conflicts", "did you mean overlap?"},
    {"diff",
     "`overlane explain OLD --compare-to NEW` compares manifests, and compare runs of a suite"},
    {"lint", "did you mean check?"},
    {"list",
     "`overlane explain --summary` has one row per shoot, `overlane store list` one per run"},
    {"ping", "did you mean trace?"},
    {"show", "did you mean explain?"},
    {"simulate", "did you mean run?"},
    {"switch", "did you mean migrate?"},
    {"traceroute", "did you mean trace?"},
    {"validate", "did you mean check?"},
};

template <std::size_t count>
std::string_view hint_for(const Habit (&habits)[count], std::string_view word) {
  const Habit* habit = std::ranges::find(habits, word, &Habit::word);
  return habit == std::ranges::end(habits) ? "" : habit->hint;
}

/// The hint for an option that is the name of an output format, such as "--csv"; otherwise empty.
std::string format_hint(const CLI::App& verb, std::string_view option) {
  constexpr std::array<std::string_view, 3> kFormats{"--json", "--csv", "--markdown"};
  const CLI::Option* output = verb.get_option_no_throw("--output");
  if (std::ranges::find(kFormats, option) == kFormats.end() || output == nullptr) return "";
  const std::string_view format = option.substr(2);
  const std::string formats = output->get_type_name();
  return formats.find(format) == formats.npos ? fmt::format("-o of this verb takes {}", formats)
                                              : fmt::format("give -o {}", format);
}

/// "; check, run, migrate have it" if other verbs have the option.
std::string verbs_with(const CLI::App& verb, const std::string& option) {
  std::vector<std::string_view> names;
  for (const CLI::App* other : verb.get_parent()->get_subcommands({}))
    if (other != &verb && other->get_option_no_throw(option) != nullptr)
      names.push_back(other->get_name());
  if (names.empty()) return "";
  return fmt::format("; {} {} it", fmt::join(names, ", "), names.size() == 1 ? "has" : "have");
}

std::string unknown_option(const CLI::App& verb, const std::string& option) {
  const std::string name = option.substr(0, option.find('='));
  const std::string message = fmt::format("there is no option {}", name);
  if (const auto hint = hint_for(kOptionHabits, name); !hint.empty())
    return fmt::format("{}; {}", message, hint);
  if (const auto hint = format_hint(verb, name); !hint.empty())
    return fmt::format("{}; {}", message, hint);
  if (names_a_file(name) && verb.get_option_no_throw("PATH") != nullptr)
    return fmt::format("{}; {}", message, kPaths);
  const std::string others = verbs_with(verb, name);
  return message + (others.empty() ? did_you_mean(name, long_options(verb)) : others);
}

/// The arguments after the program's name, with common forms replaced by Overlane's: `--version` by
/// `version`, and `help VERB` by `VERB --help`.
std::vector<std::string> without_habits(std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  if (arguments.front() == "--version") {
    arguments.front() = "version";
  } else if (arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  return arguments;
}

/// The arguments, with `--node-state` added if another option of `explain` implies it.
std::vector<std::string> with_implied_options(std::vector<std::string> arguments) {
  constexpr std::string_view kState = "--node-state";
  if (arguments.empty() || arguments.front() != "explain") return arguments;
  const auto end = std::ranges::find(arguments, "--");
  const auto is_given = [&](std::string_view option) {
    return std::any_of(arguments.begin(), end, [&](std::string_view argument) {
      return argument.substr(0, argument.find('=')) == option;
    });
  };
  if (!is_given(kState) && (is_given("--fabric-state") || is_given("--patch")))
    arguments.insert(arguments.begin() + 1, std::string(kState));
  return arguments;
}

/// The error if the first argument is an unknown verb; otherwise empty.
std::string unknown_verb(const std::vector<std::string>& arguments) {
  if (arguments.empty() || (arguments.front().starts_with('-') && arguments.front() != "-"))
    return "";
  std::vector<std::string> verbs;
  for (const VerbFacts& facts : kVerbs)
    verbs.emplace_back(facts.name);
  const std::string& given = arguments.front();
  if (std::ranges::find(verbs, given) != verbs.end()) return "";
  const std::string message = fmt::format("there is no verb \"{}\"", given);
  if (const auto hint = hint_for(kVerbHabits, given); !hint.empty())
    return fmt::format("{}; {}", message, hint);
  if (given == "-" || given.ends_with(".yaml") || given.ends_with(".json"))
    return fmt::format("{}; a file follows a verb, as in `overlane explain {}`", message, given);
  return message + did_you_mean(given, verbs);
}

/// The verb as it is typed, "testbed run"; empty for the program itself.
std::string words_of(const CLI::App& verb) {
  std::vector<std::string> words;
  for (const CLI::App* one = &verb; one->get_parent() != nullptr; one = one->get_parent())
    words.insert(words.begin(), one->get_name());
  return fmt::format("{}", fmt::join(words, " "));
}

/// The error for a command line from which CLI11 misses something, with an example.
std::string missing_argument(const CLI::App& verb, const std::string& message) {
  if (message == "A subcommand is required") {
    if (verb.get_parent() == nullptr) return "a verb is required";
    std::vector<std::string> names;
    for (const CLI::App* below : verb.get_subcommands({}))
      names.push_back(below->get_name());
    return fmt::format("one of {} must follow {}", fmt::join(names, ", "), words_of(verb));
  }
  std::string text = message;
  if (const auto example = example_of(words_of(verb)); !example.empty())
    text += fmt::format(", as in `{}`", example);
  return message == "PATH is required" ? fmt::format("{}: {}", text, kPaths) : text;
}

/// The error for arguments that `verb` rejected, with a suggestion.
std::string refused_arguments(const CLI::App& verb, const CLI::ParseError& error) {
  std::string message = error.what();
  if (error.get_name() == "RequiredError") return missing_argument(verb, message);
  constexpr std::string_view kExcludes = " excludes ";
  if (const auto at = message.find(kExcludes);
      error.get_name() == "ExcludesError" && at != message.npos)
    return message.replace(at, kExcludes.size(), " cannot be combined with ") +
           "; give one of them";
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return message;
  const std::vector<std::string> rest = verb.remaining();
  const auto option = std::ranges::find_if(
      rest, [](const std::string& one) { return one.size() > 1 && one.starts_with('-'); });
  return option == rest.end() ? message : unknown_option(verb, *option);
}

/// Prints an error about the arguments of a verb, or, if `verb` is empty, about the verb.
ExitCode usage_error(const std::string& message, const std::string& verb) {
  print_error(message + (message.ends_with('?') ? " " : "; ") +
              (verb.empty() ? "`overlane help` names the verbs"
                            : fmt::format("`overlane help {}` names its options", verb)));
  return ExitCode::Usage;
}

/// The given verb, or the last one of a chain such as `testbed run`.
const CLI::App& innermost(const CLI::App& program) {
  const auto given = program.get_subcommands();
  return given.empty() ? program : innermost(*given.front());
}

/// Parses the arguments and runs the verb. Prints errors on standard error. Passes on exceptions of
/// the verb. Without arguments, prints examples and fails like git, so that a script whose variable
/// is empty does not pass.
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
  for (const VerbFacts& facts : kVerbs)
    add_verb(program, facts, chosen);

  auto arguments = without_habits({argv + std::min(argc, 1), argv + argc});
  if (arguments.empty()) {
    const ExitCode written = write_text("", welcome_text());
    return written == ExitCode::Clean ? ExitCode::Usage : written;
  }
  const std::string unknown = unknown_verb(arguments);
  if (!unknown.empty()) return usage_error(unknown, "");
  try {
    arguments = with_implied_options(with_new_names(std::move(arguments)));
    std::ranges::reverse(arguments);  // CLI11 expects the arguments in reverse order.
    program.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (dynamic_cast<const CLI::RuntimeError*>(&error) != nullptr)  // For example --set list.
      return static_cast<ExitCode>(error.get_exit_code());
    if (error.get_exit_code() != 0) {
      const CLI::App& verb = innermost(program);
      return usage_error(refused_arguments(verb, error), words_of(verb));
    }
    program.exit(error);  // Prints the requested help.
    return ExitCode::Clean;
  }
  const CLI::App& verb = innermost(program);
  const ExitCode refused = check_outputs(output_files(verb), input_files(verb));
  return refused == ExitCode::Clean ? chosen() : refused;
}

}  // namespace

}  // namespace overlane::command

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
