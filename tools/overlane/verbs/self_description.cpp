#include "tools/overlane/verbs/self_description.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <memory>
#include <span>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "results/model/run_environment.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/schema/json_schema.h"

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

namespace {

/// Escapes text for roff: no escapes, no requests, and hyphens that can be copied.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string page_name(const VerbOutline& verb) {
  return fmt::format("{}", fmt::join(verb.words, "-"));
}

/// "See overlane-run(1)", with a comma after each page but the last.
std::string page_references(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format(".BR {} (1){}\n", roff(names[i]), i + 1 < names.size() ? "," : "");
  return text;
}

/// "-o, --output table|json".
std::string tag_of(const OptionOutline& option) {
  std::string tag;
  for (const std::string& name : option.names) {
    if (!tag.empty()) tag += ", ";
    tag += option.is_argument ? italic(name) : bold(name);
  }
  if (!option.choices.empty())
    tag += fmt::format(" {}", bold(fmt::format("{}", fmt::join(option.choices, "|"))));
  else if (!option.value.empty())
    tag += " " + italic(option.value);
  return tag;
}

std::string options_section(const VerbOutline& verb) {
  std::string text;
  for (const bool arguments : {true, false}) {
    for (const OptionOutline& option : verb.options) {
      if (option.is_argument != arguments) continue;
      text += fmt::format(".TP\n{}\n{}.\n", tag_of(option), roff(meaning_of(option, /*quote=*/"")));
    }
  }
  return text.empty() ? "" : ".SH OPTIONS\n" + text;
}

std::string verbs_section(const VerbOutline& verb) {
  if (verb.verbs.empty()) return "";
  std::string text = ".SH VERBS\n";
  for (const VerbOutline& inner : verb.verbs)
    text += fmt::format(".TP\n.BR {} (1)\n{}.\n", roff(page_name(inner)), roff(inner.description));
  return text;
}

std::string exit_section() {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitCodeFacts& facts : kExitCodes)
    text += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(facts.code), roff(facts.meaning));
  return text;
}

/// The pages of the parent and of the subcommands.
std::vector<std::string> related_pages(const VerbOutline& verb) {
  std::vector<std::string> names;
  if (verb.words.size() > 1)
    names.push_back(fmt::format("{}", fmt::join(verb.words.begin(), verb.words.end() - 1, "-")));
  for (const VerbOutline& inner : verb.verbs)
    names.push_back(page_name(inner));
  return names;
}

std::string without_full_stop(std::string description) {
  if (description.ends_with('.')) description.pop_back();
  return description;
}

ManualPage page_of(const VerbOutline& verb, const std::string& version) {
  const std::string name = page_name(verb);
  const std::string description = without_full_stop(verb.description);
  std::string synopsis = synopsis_of(verb);
  synopsis.erase(0, fmt::format("{}", fmt::join(verb.words, " ")).size());
  std::string text = fmt::format(
      ".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}{}\n"
      ".SH DESCRIPTION\n{}.\n",
      roff(upper(name)), roff(verb.words.front()), roff(version), roff(name), roff(description),
      bold(fmt::format("{}", fmt::join(verb.words, " "))), roff(synopsis), roff(description));
  text += options_section(verb) + verbs_section(verb) + exit_section();
  const std::vector<std::string> related = related_pages(verb);
  if (!related.empty()) text += ".SH SEE ALSO\n" + page_references(related);
  return {.name = name, .text = std::move(text)};
}

void add_pages(std::vector<ManualPage>& pages, const VerbOutline& verb,
               const std::string& version) {
  pages.push_back(page_of(verb, version));
  for (const VerbOutline& inner : verb.verbs)
    add_pages(pages, inner, version);
}

}  // namespace

std::vector<ManualPage> manual_pages(const VerbOutline& program, const std::string& version) {
  std::vector<ManualPage> pages;
  add_pages(pages, program, version);
  return pages;
}

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

namespace {

/// One row per group of verbs, with links to the sections of the verbs.
std::string groups_table(const VerbOutline& program) {
  std::string text = "| | verbs |\n|---|---|";
  std::string_view group;
  for (const VerbOutline& verb : program.verbs) {
    if (verb.group == group)
      text += ", ";
    else
      text += fmt::format("{}\n| {} | ", group.empty() ? "" : " |", verb.group);
    group = verb.group;
    text += fmt::format("[{}](#{})", verb.words.back(), fmt::join(verb.words, "-"));
  }
  return text + " |\n";
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
  text += '\n' + groups_table(program);
  for (const VerbOutline& verb : program.verbs)
    text += section_of(verb);
  return text;
}

void add_reference(CLI::App* verb, Action& chosen) {
  struct Options {
    std::string file;
    std::string manual_folder;
  };
  auto options = std::make_shared<Options>();
  verb->add_option("--out", options->file, "Write the result to this file")->type_name("FILE");
  verb->add_option("--man", options->manual_folder,
                   "Instead, write a manual page for each verb into this folder")
      ->type_name("FOLDER")
      ->excludes("--out");
  verb->callback([verb, options, &chosen] {
    chosen = [verb, options] {
      const VerbOutline all = outline(*verb->get_parent());
      if (!options->manual_folder.empty()) return write_manual(options->manual_folder, all);
      return write_text(options->file, reference_page(all));
    };
  });
}

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

/// The words that a shell offers as a value.
std::vector<std::string> offers_of(const OptionOutline& option) {
  std::vector<std::string> words = option.choices;
  words.insert(words.end(), option.suggestions.begin(), option.suggestions.end());
  return words;
}

/// The words that can follow a verb: its subcommands, its options, and the values of its argument.
std::vector<std::string> words_of(const VerbOutline& verb) {
  std::vector<std::string> words;
  for (const VerbOutline& inner : verb.verbs)
    words.push_back(inner.words.back());
  for (const OptionOutline& option : verb.options) {
    const auto more = option.is_argument ? offers_of(option) : option.names;
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
  else if (!option.suggestions.empty())
    line += fmt::format(" -r -a '{}'", fmt::join(option.suggestions, " "));
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
    else if (!option.suggestions.empty())
      text += fmt::format("{} -a '{}'\n", where, fmt::join(option.suggestions, " "));
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
        values +=
            fmt::format("    '{}/{}') words='{}' files={} ;;\n", path, option_name,
                        fmt::join(offers_of(option), " "), option.suggestions.empty() ? "" : "1");
    }
    const bool has_suggestions = std::ranges::any_of(verb.options, [](const OptionOutline& option) {
      return option.is_argument && !option.suggestions.empty();
    });
    words += fmt::format("    '{}') words='{}'{} ;;\n", path, fmt::join(words_of(verb), " "),
                         has_suggestions ? " files=1" : "");
  });
  return fmt::format(
      R"({1}() {{
  local verb='' words='' files='' word
  for word in "${{COMP_WORDS[@]:1:$((COMP_CWORD - 1))}}"; do
    case "$verb/$word" in
{2}    esac
  done
  case "$verb" in
{4}  esac
  case "$verb/${{COMP_WORDS[COMP_CWORD-1]}}" in
{3}  esac
  word="${{COMP_WORDS[COMP_CWORD]}}"
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  # Where words are suggestions, files are offered with them. If no word fits, the shell offers files.
  if [[ -n $files && -n $word && ${{#COMPREPLY[@]}} -gt 0 ]]; then
    for word in "$word"*; do
      [[ -e $word ]] && COMPREPLY+=("$word")
    done
  fi
}}
complete -o default -F {1} {0}
)",
      name, function_name(name), verbs, values, words);
}

/// A script that completes verbs, options and option values; anything else as a file name.
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

using Script = std::string (*)(const VerbOutline&);

constexpr std::array kShells = {Choice<Script>{"bash", &bash_completion},
                                Choice<Script>{"zsh", &zsh_completion},
                                Choice<Script>{"fish", &fish_completion}};

}  // namespace

void add_completion(CLI::App* verb, Action& chosen) {
  auto script = std::make_shared<Script>(&bash_completion);
  add_choice(*verb, "SHELL", *script, kShells, "The shell");
  verb->get_option("SHELL")->required();
  verb->callback([verb, script, &chosen] {
    chosen = [verb, script] { return write_text("", (*script)(outline(*verb->get_parent()))); };
  });
}

namespace {

ExitCode print_version(const std::string& program, const OutputOptions& options) {
  constexpr std::size_t kCommitDigits = 8;  // The names of a release's files have as many.
  const model::Environment environment = this_environment();
  if (options.format == Format::Json) {
    nlohmann::ordered_json document{{"schema_version", 1}, {"kind", "Version"}};
    document.update(model::encode(environment));
    return write_json(options, document);
  }
  return write_text(options,
                    fmt::format("{} {} ({}, {}, {})\n", program, environment.overlane_version,
                                environment.commit.substr(0, kCommitDigits), environment.compiler,
                                environment.build_type));
}

}  // namespace

void add_version(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<OutputOptions>();
  add_output_options(*verb, *options);
  verb->callback([options, &chosen, name = verb->get_parent()->get_name()] {
    chosen = [options, name] { return print_version(name, *options); };
  });
}

namespace {

ExitCode print_schema(const std::string& name, const std::string& file) {
  std::string text;
  for (const SchemaKind& kind : schema_kinds()) {
    if (kind.name == name) return write_text(file, kind.schema().dump(2) + "\n");
    text += fmt::format("{:<24}{}\n", kind.name, kind.about);
  }
  return write_text(file, text);
}

}  // namespace

void add_schema(CLI::App* verb, Action& chosen) {
  struct Options {
    std::string kind;
    std::string file;
  };
  auto options = std::make_shared<Options>();
  std::vector<std::string_view> names;
  for (const SchemaKind& kind : schema_kinds())
    names.push_back(kind.name);
  add_word(
      *verb, "KIND", names, [options](std::size_t i) { options->kind = schema_kinds()[i].name; },
      "The kind of file; without it, a list of them");
  verb->add_option("--out", options->file, "Write the result to this file")->type_name("FILE");
  verb->callback([options, &chosen] {
    chosen = [options] { return print_schema(options->kind, options->file); };
  });
}

}  // namespace overlane::command
