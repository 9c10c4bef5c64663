#include "results/report/formats/markdown.h"

namespace overlane::report {

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarkup = "|*_`<[\\";
  std::string result;
  for (const char c : text) {
    if (kMarkup.find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

}  // namespace overlane::report
