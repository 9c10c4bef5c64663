#include "tools/overlane/cli/help.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "results/report/text.h"
#include "tools/overlane/cli/exit_code.h"

namespace overlane::command {
namespace {

/// CLI11's formatter with wrapped lines.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    return entry(verb->get_display_name(true), verb->get_description());
  }
  std::string make_description(const CLI::App* app) const override {
    return report::wrapped("", app->get_description(), report::terminal_width());
  }

 private:
  /// Allows line breaks within a list of words that is longer than a line.
  static std::string breakable(std::string_view name, std::size_t width) {
    std::string text(name);
    if (report::display_width(text) + 2 <= width) return text;
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
      text.insert(at + 1, " ");
    return text;
  }

  /// A name, and its meaning in a second column.
  static std::string entry(std::string_view name, std::string_view meaning) {
    const std::size_t width = report::terminal_width();
    const std::size_t column = width < 60 ? 12 : 30;
    std::string left = fmt::format("  {}", name);
    if (report::display_width(left) + 2 <= column)
      return report::wrapped(fmt::format("{:{}}", left, column), meaning, width);
    return report::wrapped("  ", breakable(name, width), width) +
           report::wrapped(std::string(column, ' '), meaning, width);
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  return std::make_shared<HelpFormatter>();
}

std::string exit_code_help() {
  std::string text = "Exit codes:\n";
  for (const ExitCodeFacts& facts : kExitCodes)
    text += report::wrapped(fmt::format("  {:<4}", static_cast<int>(facts.code)), facts.meaning,
                            report::terminal_width());
  text.pop_back();  // CLI11 ends a footer with a newline.
  return text;
}

void add_to_footer(CLI::App& verb, std::string_view text) {
  std::string footer = report::wrapped("", text, report::terminal_width());
  if (!verb.get_footer().empty())
    footer += '\n' + verb.get_footer();
  else
    footer.pop_back();
  verb.footer(footer);
}

}  // namespace overlane::command
