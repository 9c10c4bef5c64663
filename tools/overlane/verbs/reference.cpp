#include "tools/overlane/verbs/reference.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/overlane/cli/environment.h"
#include "tools/overlane/cli/exit_code.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/manual.h"

namespace overlane::command {
namespace {

std::string code(const std::vector<std::string>& words) {
  return fmt::format("`{}`", fmt::join(words, "`, `"));
}

std::string value_of(const OptionOutline& option) {
  if (!option.choices.empty()) return code(option.choices);
  std::string value = option.value;
  for (std::size_t at = 0; (at = value.find('|', at)) != std::string::npos; at += 2)
    value.insert(at, "\\");  // An unescaped bar would end the cell.
  return value.empty() ? "" : fmt::format("`{}`", value);
}

std::string section_of(const VerbOutline& verb) {
  std::string text = fmt::format("\n## {}\n\n{}.\n\n```\n{}\n```\n", fmt::join(verb.words, " "),
                                 verb.description, synopsis_of(verb));
  if (!verb.options.empty()) text += "\n| option | value | meaning |\n|---|---|---|\n";
  for (const OptionOutline& option : verb.options)
    text += fmt::format("| {} | {} | {} |\n", code(option.names), value_of(option),
                        meaning_of(option, "`"));
  for (const VerbOutline& inner : verb.verbs)
    text += section_of(inner);
  return text;
}

ExitCode write_manual(const std::string& folder, const VerbOutline& program) {
  for (const ManualPage& page : manual_pages(program, this_environment().overlane_version)) {
    const ExitCode code = write_text(fmt::format("{}/{}.1", folder, page.name), page.text);
    if (code != ExitCode::Clean) return code;
  }
  return ExitCode::Clean;
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
  struct Options {
    std::string file;
    std::string manual_folder;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = program.add_subcommand("reference", "Print every verb and option as Markdown");
  verb->add_option("--out", options->file, "Write the result to this file")->type_name("FILE");
  verb->add_option("--man", options->manual_folder,
                   "Instead, write a manual page for each verb into this folder")
      ->type_name("FOLDER")
      ->excludes("--out");
  verb->callback([&program, options, &chosen] {
    chosen = [&program, options] {
      const VerbOutline all = outline(program);
      if (!options->manual_folder.empty()) return write_manual(options->manual_folder, all);
      return write_text(options->file, reference_page(all));
    };
  });
}

}  // namespace overlane::command
