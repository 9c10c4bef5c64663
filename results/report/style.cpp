#include "results/report/style.h"

#include <fmt/format.h>

namespace overlane::report {
namespace {

/// Parameters of the escape sequence "select graphic rendition" (ECMA-48).
std::string_view rendition(answer::Tone tone) {
  switch (tone) {
    case answer::Tone::Plain:
      return "";
    case answer::Tone::Good:
      return "1;32";
    case answer::Tone::Note:
      return "1;36";
    case answer::Tone::Warning:
      return "1;35";
    case answer::Tone::Bad:
      return "1;31";
  }
  return "";
}

std::string rendered(std::string_view text, std::string_view rendition, Style style) {
  if (style == Style::Plain || rendition.empty() || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", rendition, text);
}

}  // namespace

std::string heading_text(std::string_view text, Style style) {
  return rendered(text, "1", style);
}

std::string toned_text(std::string_view text, answer::Tone tone, Style style) {
  return rendered(text, rendition(tone), style);
}

std::string toned_part(std::string_view text, std::size_t begin, std::size_t length,
                       answer::Tone tone, Style style) {
  return fmt::format("{}{}{}", text.substr(0, begin),
                     toned_text(text.substr(begin, length), tone, style),
                     text.substr(begin + length));
}

}  // namespace overlane::report
