#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/base/text.h"
#include "results/finding/finding.h"

namespace overlane::document {

// Places in a source text: where a part of a file starts (Origin), and how a byte offset becomes
// a line and a column, which counts characters. Also the tests that a text must pass before it
// is parsed: UTF-8, no NUL byte, and line breaks that yaml-cpp understands.

/// Where a part of a file starts; columns count characters.
struct Origin {
  Interned file;
  int line = 1;
  int column = 1;

  /// Where the text after `text` starts, if `text` starts here.
  Origin after(std::string_view text) const;
  /// The location of a byte in the text that starts here.
  SourceLocation place(std::string_view text, std::size_t offset) const;
};

/// Converts byte offsets of a text to locations without keeping the text: four bytes per line, and
/// four per UTF-8 continuation byte.
class LineMap {
 public:
  LineMap() = default;
  LineMap(Origin origin, std::string_view text);

  SourceLocation place(std::uint32_t offset) const;
  std::size_t memory() const {
    return (starts_.capacity() + continuations_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  Origin origin_;
  std::vector<std::uint32_t> starts_;  ///< Offsets of the second and following lines.
  std::vector<std::uint32_t> continuations_;
};

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
