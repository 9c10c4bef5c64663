#include "topologies/document/tree/text_check.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/tree/json_tree.h"
#include "topologies/document/tree/refusal.h"

namespace overlane::document {
namespace {

/// Length of the UTF-8 sequence at the front of `text` (RFC 3629), 0 if it is malformed.
std::size_t sequence_length(std::string_view text) {
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

/// Of a well-formed sequence of two or three bytes.
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

std::size_t count_lines(std::string_view text) {
  std::size_t lines = 0;
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    ++lines;
  return lines;
}

std::size_t count_characters(std::string_view text) {
  // Most texts are ASCII, which can be checked eight bytes at a time.
  constexpr std::uint64_t kTopBits = 0x8080808080808080;
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if ((bytes & kTopBits) != 0) break;
  }
  const auto rest = text.substr(at);
  return at + static_cast<std::size_t>(
                  std::ranges::count_if(rest, [](char byte) { return !is_continuation(byte); }));
}

bool is_plain(std::string_view text) {
  return text.find('\0') == text.npos && text.find('\r') == text.npos && is_valid_utf8(text);
}

std::optional<Finding> check_encoding(std::string_view text, const Origin& origin) {
  const auto refuse = [&](std::string message, std::size_t at) {
    return Refusal{"binary-file", std::move(message),
                   "give a YAML or JSON text file, saved as UTF-8", at}
        .finding(text, origin);
  };
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return refuse("this text is UTF-16, not UTF-8", 0);
  const auto nul = text.find('\0');
  if (nul != text.npos) return refuse("this is a binary file: it holds a NUL byte", nul);
  if (is_valid_utf8(text)) return std::nullopt;
  std::size_t at = 0;
  while (const std::size_t length = sequence_length(text.substr(at)))
    at += length;
  return refuse("this is not a text file: the byte here is not valid UTF-8", at);
}

std::string one_line(std::string_view text) {
  const auto stays = [](char byte) { return byte >= ' ' && byte < '\x7f'; };
  std::string line(text.begin(), std::ranges::find_if_not(text, stays));
  text.remove_prefix(line.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
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

bool has_lone_carriage_return(std::string_view text) {
  for (auto at = text.find('\r'); at != text.npos; at = text.find('\r', at + 1))
    if (at + 1 == text.size() || text[at + 1] != '\n') return true;
  return false;
}

void replace_lone_carriage_returns(std::span<char> text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\r' && (at + 1 == text.size() || text[at + 1] != '\n')) text[at] = '\n';
}

Finding empty_file(const std::string& file) {
  return {.rule = "empty-file",
          .message = "the file holds no document",
          .place = {file, 1, 1},
          .hint = "give a Shoot or Network manifest"};
}

}  // namespace overlane::document
