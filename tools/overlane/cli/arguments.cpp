#include "tools/overlane/cli/arguments.h"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/overlane/cli/output.h"
#include "topologies/document/fields/spelling.h"

namespace overlane::command {

namespace {

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

}  // namespace

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

namespace {

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

/// By the names that kubectl uses.
bool names_a_file(std::string_view option) {
  return option == "-f" || option == "--filename" || option == "--file";
}

std::string unknown_option(const CLI::App& verb, const std::string& option) {
  const std::string name = option.substr(0, option.find('='));
  const std::string message = fmt::format("there is no option {}", name);
  if (names_a_file(name) && verb.get_option_no_throw("PATH") != nullptr)
    return fmt::format("{}; {}", message, kPaths);
  return message + did_you_mean(name, long_options(verb));
}

}  // namespace

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

std::string unknown_verb(const CLI::App& program, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return "";
  std::vector<std::string> verbs;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
    verbs.push_back(verb->get_name());
  const std::string& given = arguments.front();
  if (std::ranges::find(verbs, given) != verbs.end()) return "";
  return fmt::format("there is no verb \"{}\"{}", given, did_you_mean(given, verbs));
}

std::string refused_arguments(const CLI::App& verb, const CLI::ParseError& error) {
  std::string message = error.what();
  if (error.get_name() == "RequiredError" && message == "PATH is required")
    return fmt::format("{}: {}", message, kPaths);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return message;
  const std::vector<std::string> rest = verb.remaining();
  const auto option = std::ranges::find_if(
      rest, [](const std::string& one) { return one.size() > 1 && one.starts_with('-'); });
  return option == rest.end() ? message : unknown_option(verb, *option);
}

}  // namespace overlane::command
