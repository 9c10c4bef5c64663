#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace overlane::document {

// The extents of JSON values and of list items, found by brackets and strings alone, without
// parsing. It splits a list of thousands of objects into items for several threads, and finds
// the sound items of a broken list. It inspects 64 bytes at a time where no string has an
// escape. A result refers to the text.

/// Whitespace between tokens (RFC 8259 section 2).
inline constexpr std::string_view kJsonBlank = " \t\r\n";

/// The extent of one JSON value, and of its items if it is an array or an object with one list
/// `items`. If the list is not closed, the items before the break. Only brackets and strings are
/// inspected; parsing validates the rest.
struct JsonExtent {
  std::string_view text;  ///< From its first byte; to the end of the text if it is not closed.
  bool closed = false;
  std::string_view list;  ///< From [ to ], or to the end if not closed; empty without a list.
  std::vector<std::string_view> items;  ///< Without the blanks around them.
  std::size_t open_item = 0;            ///< Offset where a list that is not closed breaks off.
};

/// `text` starts with { or [. A string that contains a line end, which JSON does not allow, ends at
/// it, so that later errors are found.
JsonExtent scan_json(std::string_view text);

/// The first JSON value of `text`. A value that is not closed ends before the next line that starts
/// another.
JsonExtent scan_next_json(std::string_view text);

/// The items of a list whose brackets or commas are wrong, so that scan_json() takes the end of one
/// item for that of another. An item ends at a comma outside its brackets, at a closing bracket of
/// another kind than its own, at a comma that no key follows, and before a line that is indented
/// like the first item and opens a bracket. An item that is missing between two commas is the
/// second comma. `open_item` is that of a list that is not closed, else the size of the text. No
/// items if `text` does not begin with a list.
JsonExtent scan_broken_json(std::string_view text);

}  // namespace overlane::document
