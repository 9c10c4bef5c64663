#include "tools/overlane/cli/verbs.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace overlane::command {
namespace {

struct Question {
  VerbGroup group;
  std::string_view text;
  std::string_view command;
};

/// Every command can be copied. All but the testbed need no file, network or privilege.
constexpr Question kQuestions[] = {
    {VerbGroup::Look, "What does a Shoot configure, and why?", "overlane explain shoot-aws"},
    {VerbGroup::Look, "Is it valid, and is it sound?", "overlane check shoot-aws"},
    {VerbGroup::Look, "Does a packet arrive, and by which path?", "overlane trace shoot-aws"},
    {VerbGroup::Look, "Do ranges of shoots overlap?", "overlane overlap shoot-aws shoot-gcp"},
    {VerbGroup::Predict, "Is it faster without an overlay?", "overlane run shoot-aws --summary"},
    {VerbGroup::Predict, "What stops during a switch?", "overlane migrate shoot-aws --to ipip"},
    {VerbGroup::Measure, "Does this kernel agree?", "sudo overlane testbed run shoot-aws"},
    {VerbGroup::Watch, "How fast is this build?", "overlane bench quick"},
};

}  // namespace

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
  const auto* found = std::ranges::find_if(kQuestions, [&](const Question& question) {
    return question.command.find(fmt::format("overlane {} ", verb)) != std::string_view::npos;
  });
  return found == std::ranges::end(kQuestions) ? std::string_view() : found->command;
}

std::string welcome_text() {
  std::string text =
      "Overlane simulates and checks pod traffic of Gardener shoots, with and without\n"
      "an overlay network.\n";
  VerbGroup group = VerbGroup::Other;
  for (const Question& question : kQuestions) {
    if (question.group != group) text += fmt::format("\n{}\n", to_string(question.group));
    group = question.group;
    text += fmt::format("  {:<41} {}\n", question.text, question.command);
  }
  return text +
         "\nshoot-aws is an example in the program; give files or folders of your own, or -\n"
         "for standard input. `overlane help` lists all verbs, `overlane help VERB` the\n"
         "options of one.\n";
}

}  // namespace overlane::command
