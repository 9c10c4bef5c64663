#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace overlane::document {

/// The extent of one JSON value, and of the items if it is an object with one list `items`. Only
/// brackets and strings are looked at: whether it is JSON is seen when it is parsed.
struct JsonExtent {
  std::string_view text;  ///< From its first byte on; to the end where it is never closed.
  bool closed = false;
  std::string_view list;                ///< From [ to ]; empty without one.
  std::vector<std::string_view> items;  ///< Without the blanks around them.
};

/// `text` starts with { or [. A string that goes on in another line, which JSON does not allow,
/// ends with its line, so that what follows is found.
JsonExtent scan_json(std::string_view text);

}  // namespace overlane::document
