#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "results/finding/finding.h"
#include "results/finding/one_line.h"
#include "topologies/document/tree/line_map.h"

namespace overlane::document {

/// Whether a byte of UTF-8 is not the first of its character.
inline bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}
std::size_t count_characters(std::string_view text);
/// Line ends in `text`.
std::size_t count_lines(std::string_view text);

/// Whether it is UTF-8 without NUL bytes and carriage returns, as nearly every text: nothing is to
/// be said against its encoding then, and its lines end as they should. All is plain whose parts
/// are; a part that ends within a character is not.
bool is_plain(std::string_view text);

/// Why `text`, which starts at `origin`, is no UTF-8 text: a NUL byte or a malformed sequence.
std::optional<Finding> check_encoding(std::string_view text, const Origin& origin);

using overlane::one_line;

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// YAML 1.2 section 5.4: a carriage return alone ends a line too. yaml-cpp knows \n and \r\n only.
bool has_lone_carriage_return(std::string_view text);
void replace_lone_carriage_returns(std::span<char> text);

/// The finding for a text without any document.
Finding empty_file(const std::string& file);

}  // namespace overlane::document
