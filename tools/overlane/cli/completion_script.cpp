#include "tools/overlane/cli/completion_script.h"

#include <algorithm>
#include <functional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace overlane::command {
namespace {

/// The words after the program's name: "testbed run".
std::string path_of(const VerbOutline& verb) {
  return fmt::format("{}", fmt::join(std::span(verb.words).subspan(1), " "));
}

void visit(const VerbOutline& verb, const std::function<void(const VerbOutline&)>& each) {
  each(verb);
  for (const VerbOutline& inner : verb.verbs)
    visit(inner, each);
}

/// The words that can follow a verb: its verbs, its options, the values of its argument.
std::vector<std::string> words_of(const VerbOutline& verb) {
  std::vector<std::string> words;
  for (const VerbOutline& inner : verb.verbs)
    words.push_back(inner.words.back());
  for (const OptionOutline& option : verb.options) {
    const auto& more = option.is_argument ? option.choices : option.names;
    words.insert(words.end(), more.begin(), more.end());
  }
  words.emplace_back("--help");
  return words;
}

std::string single_quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return "'" + text + "'";
}

std::string fish_option(const OptionOutline& option, const std::string& where) {
  std::string line = where;
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty())
    line += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
  else if (!option.is_flag())
    line += " -r";
  return line + " -d " + single_quoted(option.description) + "\n";
}

/// The condition under which fish offers the words of a verb.
std::string fish_condition(const VerbOutline& verb) {
  if (verb.words.size() == 1) return "__fish_use_subcommand";
  std::vector<std::string> seen;
  for (const std::string& word : std::span(verb.words).subspan(1))
    seen.push_back("__fish_seen_subcommand_from " + word);
  return fmt::format("{}", fmt::join(seen, "; and "));
}

std::string fish_verb(const VerbOutline& verb) {
  std::string text;
  const std::string where =
      fmt::format("complete -c {} -n '{}'", verb.words.front(), fish_condition(verb));
  for (const VerbOutline& inner : verb.verbs)
    text += fmt::format("{} -f -a {} -d {}\n", where, inner.words.back(),
                        single_quoted(inner.description));
  for (const OptionOutline& option : verb.options) {
    if (!option.is_argument)
      text += fish_option(option, where);
    else if (!option.choices.empty())
      text += fmt::format("{} -f -a '{}'\n", where, fmt::join(option.choices, " "));
  }
  return text;
}

/// For example "_overlane_fastpath".
std::string function_name(std::string name) {
  std::ranges::replace(name, '-', '_');
  return "_" + name;
}

/// The function that completes for bash, and its registration.
std::string bash_function(const VerbOutline& program) {
  const std::string& name = program.words.front();
  std::string verbs;
  std::string values;
  std::string words;
  visit(program, [&](const VerbOutline& verb) {
    const std::string path = path_of(verb);
    for (const VerbOutline& inner : verb.verbs)
      verbs +=
          fmt::format("      '{}/{}') verb='{}' ;;\n", path, inner.words.back(), path_of(inner));
    for (const OptionOutline& option : verb.options) {
      if (option.is_argument || option.is_flag()) continue;
      for (const std::string& option_name : option.names)
        values += fmt::format("    '{}/{}') words='{}' ;;\n", path, option_name,
                              fmt::join(option.choices, " "));
    }
    words += fmt::format("    '{}') words='{}' ;;\n", path, fmt::join(words_of(verb), " "));
  });
  return fmt::format(
      R"({1}() {{
  local verb='' words='' word
  for word in "${{COMP_WORDS[@]:1:$((COMP_CWORD - 1))}}"; do
    case "$verb/$word" in
{2}    esac
  done
  case "$verb" in
{4}  esac
  case "$verb/${{COMP_WORDS[COMP_CWORD-1]}}" in
{3}  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F {1} {0}
)",
      name, function_name(name), verbs, values, words);
}

}  // namespace

std::string bash_completion(const VerbOutline& program) {
  return fmt::format("# Completes {0} in bash. Made by `{0} completion bash`.\n",
                     program.words.front()) +
         bash_function(program);
}

std::string zsh_completion(const VerbOutline& program) {
  // zsh reads the file at the first completion; it then replaces itself by bash's function.
  return fmt::format(R"(#compdef {0}
# Completes {0} in zsh, by bash's function. Made by `{0} completion zsh`.
autoload -U +X bashcompinit && bashcompinit
{1}_bash_complete -o default -F {2}
)",
                     program.words.front(), bash_function(program),
                     function_name(program.words.front()));
}

std::string fish_completion(const VerbOutline& program) {
  std::string text = fmt::format("# Completes {0} in fish. Made by `{0} completion fish`.\n",
                                 program.words.front());
  visit(program, [&](const VerbOutline& verb) { text += fish_verb(verb); });
  return text;
}

}  // namespace overlane::command
