#include "tools/overlane/cli/verbs.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace overlane::command {

std::string_view to_string(VerbGroup group) {
  switch (group) {
    case VerbGroup::Look:
      return "Look";
    case VerbGroup::Predict:
      return "Predict";
    case VerbGroup::Measure:
      return "Measure";
    case VerbGroup::Watch:
      return "Watch over time";
    case VerbGroup::Other:
      return "Other";
  }
  return "";
}

void add_verb(CLI::App& program, const VerbFacts& facts, Action& chosen) {
  CLI::App* verb = program.add_subcommand(std::string(facts.name), std::string(facts.about));
  verb->group(std::string(to_string(facts.group)));
  facts.add(verb, chosen);
}

std::string_view example_of(std::string_view verb) {
  const auto names = [&](const VerbFacts& facts) {
    const std::string words = fmt::format("overlane {}", verb);
    const std::size_t at = facts.example.find(words);
    if (at == std::string_view::npos) return false;
    const std::string_view rest = facts.example.substr(at + words.size());
    return rest.empty() || rest.front() == ' ';
  };
  const auto* found = std::ranges::find_if(kVerbs, names);
  return found == kVerbs.end() ? std::string_view() : found->example;
}

std::string welcome_text() {
  std::string text =
      "Overlane simulates and checks pod traffic of Gardener shoots, with and without\n"
      "an overlay network.\n";
  VerbGroup group = VerbGroup::Other;
  for (const VerbFacts& facts : kVerbs) {
    if (facts.question.empty()) continue;
    if (facts.group != group) text += fmt::format("\n{}\n", to_string(facts.group));
    group = facts.group;
    text += fmt::format("  {:<41} {}\n", facts.question, facts.example);
  }
  return text +
         "\nshoot-aws is an example in the program; give files or folders of your own, or -\n"
         "for standard input. `overlane help` lists all verbs, `overlane help VERB` the\n"
         "options of one.\n";
}

}  // namespace overlane::command
