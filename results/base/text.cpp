#include "results/base/text.h"

#include <algorithm>
#include <cassert>
#include <fnmatch.h>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

namespace overlane {
namespace {

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

/// Decodes a well-formed sequence of two or three bytes.
unsigned code_point(std::string_view character) {
  unsigned point = static_cast<unsigned char>(character[0]) & (character.size() == 2 ? 0x1f : 0x0f);
  for (const char byte : character.substr(1))
    point = point << 6 | (static_cast<unsigned char>(byte) & 0x3f);
  return point;
}

/// C1 controls, U+2028, U+2029 and Bidi_Control (Unicode 15, PropList.txt).
bool is_unprintable(std::string_view character) {
  if (character.size() != 2 && character.size() != 3) return false;
  const unsigned point = code_point(character);
  return (point >= 0x80 && point <= 0x9f) || point == 0x61c || point == 0x200e || point == 0x200f ||
         (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

}  // namespace

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string yaml_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text)
    result.append(c == '\'' ? 2 : 1, c);
  return result + "'";
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

bool matches_pattern(const std::string& text, const std::string& pattern) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

std::size_t utf8_length(std::string_view text) {
  assert(!text.empty());
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length),
                   is_continuation))
    return 0;
  const bool overlong = (lead == 0xe0 && at(1) < 0xa0) || (lead == 0xf0 && at(1) < 0x90);
  const bool surrogate = lead == 0xed && at(1) > 0x9f;
  const bool beyond = lead == 0xf4 && at(1) > 0x8f;
  return overlong || surrogate || beyond ? 0 : length;
}

std::string one_line(std::string_view text) {
  const auto stays = [](char byte) { return byte >= ' ' && byte < '\x7f'; };
  std::string line(text.begin(), std::ranges::find_if_not(text, stays));
  text.remove_prefix(line.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    const auto byte = static_cast<unsigned char>(character.front());
    if (byte == '\n')
      line += "\\n";
    else if (byte == '\t')
      line += "\\t";
    else if (byte < 0x20 || byte == 0x7f || length == 0)
      line += fmt::format("\\x{:02x}", byte);
    else if (is_unprintable(character))
      line += fmt::format("\\u{:04x}", code_point(character));
    else
      line += character;
    text.remove_prefix(character.size());
  }
  return line;
}

}  // namespace overlane
