#include "tools/overlane/cli/renamed_options.h"

#include <cerrno>
#include <string_view>

#include <fmt/format.h>

#include "tools/overlane/cli/output.h"

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

}  // namespace overlane::command
