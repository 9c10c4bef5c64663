#include "tools/overlane/reference.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/overlane/exit_code.h"
#include "tools/overlane/output.h"
#include "tools/overlane/verbs.h"

namespace overlane::command {
namespace {

std::string code(const std::vector<std::string>& words) {
  return fmt::format("`{}`", fmt::join(words, "`, `"));
}

std::string value_of(const OptionOutline& option) {
  if (!option.choices.empty()) return code(option.choices);
  std::string value = option.value;
  for (std::size_t at = 0; (at = value.find('|', at)) != std::string::npos; at += 2)
    value.insert(at, "\\");  // A bar ends a cell.
  return value.empty() ? "" : fmt::format("`{}`", value);
}

std::string meaning_of(const OptionOutline& option) {
  std::string text = option.description;
  if (option.required && !option.is_argument) text += "; required";
  if (option.repeatable && !option.is_argument) text += "; may be given more than once";
  if (!option.needs.empty()) text += fmt::format("; only with {}", code(option.needs));
  if (!option.excludes.empty()) text += fmt::format("; not with {}", code(option.excludes));
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

std::string section_of(const VerbOutline& verb) {
  std::string text = fmt::format("\n## {}\n\n{}.\n\n```\n{}\n```\n", fmt::join(verb.words, " "),
                                 verb.description, synopsis_of(verb));
  if (!verb.options.empty()) text += "\n| option | value | meaning |\n|---|---|---|\n";
  for (const OptionOutline& option : verb.options)
    text +=
        fmt::format("| {} | {} | {} |\n", code(option.names), value_of(option), meaning_of(option));
  for (const VerbOutline& inner : verb.verbs)
    text += section_of(inner);
  return text;
}

}  // namespace

std::string reference_page(const VerbOutline& program) {
  std::string text = fmt::format(
      "# The command line of {0}\n\n{1}\n\n"
      "This page is what `{0} reference` prints.\n\n"
      "| exit code | meaning |\n|---|---|\n",
      program.words.front(), program.description);
  for (const ExitCodeFacts& facts : kExitCodes)
    text += fmt::format("| {} | {} |\n", static_cast<int>(facts.code), facts.meaning);
  for (const VerbOutline& verb : program.verbs)
    text += section_of(verb);
  return text;
}

void add_reference(CLI::App& program, Action& chosen) {
  auto file = std::make_shared<std::string>();
  CLI::App* verb = program.add_subcommand("reference", "Print every verb and option as Markdown");
  verb->add_option("--out", *file, "Write the result to this file")->type_name("FILE");
  verb->callback([&program, file, &chosen] {
    chosen = [&program, file] { return write_text(*file, reference_page(outline(program))); };
  });
}

}  // namespace overlane::command
