#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/overlane/cli/outline.h"

namespace overlane::command {
namespace {

std::string quoted(const std::vector<std::string>& names, std::string_view quote) {
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", quote, name, quote);
  return text;
}

}  // namespace

std::string meaning_of(const OptionOutline& option, std::string_view quote) {
  std::string text = option.description;
  if (option.required && !option.is_argument) text += "; required";
  if (option.repeatable && !option.is_argument) text += "; may be given more than once";
  if (!option.needs.empty()) text += "; only with " + quoted(option.needs, quote);
  if (!option.excludes.empty()) text += "; not with " + quoted(option.excludes, quote);
  return text;
}

std::string synopsis_of(const VerbOutline& verb) {
  std::string line = fmt::format("{}", fmt::join(verb.words, " "));
  if (!verb.verbs.empty()) return line + " VERB";
  line += " [OPTION…]";
  for (const OptionOutline& option : verb.options) {
    if (!option.is_argument) continue;
    const std::string name = option.choices.empty()
                                 ? option.names.front()
                                 : fmt::format("{}", fmt::join(option.choices, "|"));
    const std::string words = option.repeatable ? name + "…" : name;
    line += option.required ? " " + words : fmt::format(" [{}]", words);
  }
  return line;
}

}  // namespace overlane::command
