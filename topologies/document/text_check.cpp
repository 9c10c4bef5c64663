#include "topologies/document/text_check.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace overlane::document {
namespace {

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

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

}  // namespace

Place place_of_byte(std::string_view text, std::size_t offset, const std::string& file) {
  const std::string_view before = text.substr(0, offset);
  const auto newline = before.rfind('\n');
  const std::string_view line =
      newline == std::string_view::npos ? before : before.substr(newline + 1);
  const auto characters = std::ranges::count_if(line, [](char c) { return !is_continuation(c); });
  return {file, static_cast<int>(std::ranges::count(before, '\n')) + 1,
          static_cast<int>(characters) + 1};
}

std::optional<Finding> check_encoding(std::string_view text, const std::string& file) {
  const auto nul = text.find('\0');
  if (nul != std::string_view::npos)
    return Finding{.rule = "binary-file",
                   .message = "this is a binary file: it holds a NUL byte",
                   .place = place_of_byte(text, nul, file),
                   .hint = "give a YAML or JSON text file, saved as UTF-8"};
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t length = sequence_length(text.substr(offset));
    if (length == 0)
      return Finding{.rule = "binary-file",
                     .message = "this is not a text file: the byte here is not valid UTF-8",
                     .place = place_of_byte(text, offset, file),
                     .hint = "give a YAML or JSON text file, saved as UTF-8"};
    offset += length;
  }
  return std::nullopt;
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      line += "\\n";
    else if (c == '\t')
      line += "\\t";
    else if (byte < 0x20 || byte == 0x7f)
      line += fmt::format("\\x{:02x}", byte);
    else
      line += c;
  }
  return line;
}

Finding elision(Place place) {
  return {.rule = "elision",
          .message = "parts of this document are left out (`...`), so the whole file is refused",
          .place = std::move(place),
          .hint = "fill in what the `...` stands for, or start a new document with `---`"};
}

}  // namespace overlane::document
