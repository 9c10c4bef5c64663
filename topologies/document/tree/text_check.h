#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "results/base/text.h"
#include "results/finding/finding.h"
#include "topologies/document/tree/line_map.h"

namespace overlane::document {

/// Whether a byte is a UTF-8 continuation byte.
inline bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}
std::size_t count_characters(std::string_view text);
/// Number of line feeds.
std::size_t count_lines(std::string_view text);

/// Whether the text is UTF-8 without NUL bytes and carriage returns, so that check_encoding() and
/// line ends need no work. A text is plain if all its parts are; a part that ends within a
/// character is not.
bool is_plain(std::string_view text);

/// Why `text`, which starts at `origin`, is not valid text: a NUL byte or malformed UTF-8.
std::optional<Finding> check_encoding(std::string_view text, const Origin& origin);

using overlane::one_line;

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// A lone carriage return is a line break (YAML 1.2 section 5.4), but yaml-cpp knows only \  and
/// \\r\ .
bool has_lone_carriage_return(std::string_view text);
void replace_lone_carriage_returns(std::span<char> text);

/// The finding for a text without any document.
Finding empty_file(const std::string& file);

}  // namespace overlane::document
