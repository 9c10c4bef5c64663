#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace overlane::document {

/// RFC 8259 2: what may stand between two tokens.
inline constexpr std::string_view kJsonBlank = " \t\r\n";

/// The extent of one JSON value, and of the items if it is an object with one list `items`, be the
/// list closed or be it where the value breaks off: then the items before that. Only
/// brackets and strings are looked at: whether it is JSON is seen when it is parsed.
struct JsonExtent {
  std::string_view text;  ///< From its first byte on; to the end where it is never closed.
  bool closed = false;
  std::string_view list;                ///< From [ to ] or to the end; empty without one.
  std::vector<std::string_view> items;  ///< Without the blanks around them.
  std::size_t open_item = 0;            ///< Of a list that is never closed: where it breaks off.
};

/// `text` starts with { or [. A string that goes on in another line, which JSON does not allow,
/// ends with its line, so that what follows is found.
JsonExtent scan_json(std::string_view text);

/// The first JSON value of `text`. One that is never closed ends before a line that starts another.
JsonExtent scan_next_json(std::string_view text);

}  // namespace overlane::document
