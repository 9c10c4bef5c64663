#include "tools/overlane/cli/outline.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "tools/overlane/cli/options.h"

namespace overlane::command {

namespace {

/// The name of an option for messages: "--shoot", or "PATH" for an argument.
std::string long_name(const CLI::Option* option) {
  if (option->get_lnames().empty()) return option->get_name(true);
  return "--" + option->get_lnames().front();
}

std::vector<std::string> long_names(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options)
    names.push_back(long_name(option));
  std::ranges::sort(names);  // The set is ordered by address.
  return names;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames())
    names.push_back("-" + name);
  for (const std::string& name : option.get_lnames())
    names.push_back("--" + name);
  return names;
}

/// The words of "a|b|c" (see add_word); empty for placeholders, which have capital letters.
std::vector<std::string> choices_in(const std::string& type) {
  const bool placeholder =
      std::ranges::any_of(type, [](char letter) { return letter >= 'A' && letter <= 'Z'; });
  if (placeholder || type.empty()) return {};
  return CLI::detail::split(type, '|');
}

/// A type's name without the checks that CLI11 appends after a colon. Colons in brackets belong to
/// the name: "NAME[:PORT]".
std::string value_in(const std::string& type) {
  int depth = 0;
  for (std::size_t at = 0; at < type.size(); ++at) {
    if (type[at] == '[') ++depth;
    if (type[at] == ']') --depth;
    if (type[at] == ':' && depth == 0) return type.substr(0, at);
  }
  return type;
}

/// The range in a type's name with CLI::Range: "N:UINT in [1 - 255]".
std::optional<std::pair<std::string, std::string>> range_in(const std::string& type) {
  constexpr std::string_view kBegin = " in [";
  constexpr std::string_view kBetween = " - ";
  const std::size_t begin = type.find(kBegin);
  const std::size_t between = type.find(kBetween, begin);
  const std::size_t end = type.find(']', between);
  if (end == type.npos) return std::nullopt;
  const std::size_t first = begin + kBegin.size();
  const std::size_t second = between + kBetween.size();
  return std::pair(type.substr(first, between - first), type.substr(second, end - second));
}

OptionOutline outline_of(CLI::Option& option) {
  OptionOutline out{.names = names_of(option),
                    .description = option.get_description(),
                    .is_argument = option.get_positional(),
                    .required = option.get_required(),
                    .needs = long_names(option.get_needs()),
                    .excludes = long_names(option.get_excludes())};
  if (option.get_items_expected_max() == 0) return out;
  out.suggestions = suggestions_of(option);
  out.choices = choices_in(option.get_type_name());
  if (out.choices.empty() && !out.is_argument) out.value = value_in(option.get_type_name());
  out.range = range_in(option.get_type_name());
  out.repeatable = option.get_expected_max() > option.get_expected_min();
  return out;
}

VerbOutline outline_of(CLI::App& verb, std::vector<std::string> words) {
  words.push_back(verb.get_name());
  VerbOutline out{
      .words = std::move(words), .group = verb.get_group(), .description = verb.get_description()};
  for (CLI::Option* option : verb.get_options())
    if (option != verb.get_help_ptr()) out.options.push_back(outline_of(*option));
  const auto is_shown = [](const CLI::App* inner) { return !inner->get_group().empty(); };
  for (CLI::App* inner : verb.get_subcommands(is_shown))
    out.verbs.push_back(outline_of(*inner, out.words));
  return out;
}

}  // namespace

VerbOutline outline(CLI::App& program) {
  return outline_of(program, {});
}

}  // namespace overlane::command
