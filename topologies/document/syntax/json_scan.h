#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace overlane::document {

// The extents of JSON values and of list items, found by brackets and strings alone, without
// parsing. It splits a list of thousands of objects into items for several threads, and finds the
// valid items of a broken list. It inspects 64 bytes at a time if no string has an escape. A result
// refers to the text.

/// Whitespace between tokens (RFC 8259 section 2).
inline constexpr std::string_view kJsonBlank = " \t\r\n";

/// The extent of one JSON value, and of its items if it is an array or an object with one list
/// `items`. If the list is not closed, it has the items before the break. Only brackets and strings
/// are inspected; parsing validates the rest.
struct JsonExtent {
  std::string_view text;  ///< The value from its first byte; if it is not closed, to the end of the
                          ///< text.
  bool closed = false;
  std::string_view list;  ///< The list from [ to ]; if it is not closed, to the end of the text.
                          ///< Empty without a list.
  std::vector<std::string_view> items;  ///< Items without surrounding blanks.
  std::size_t open_item = 0;            ///< Offset at which an unclosed list breaks off.
};

/// Scans a value; `text` starts with { or [. A string that contains a line end, which JSON does not
/// allow, ends there, so that later errors are found.
JsonExtent scan_json(std::string_view text);

/// The first JSON value of `text`. A value that is not closed ends before the next line that starts
/// another value.
JsonExtent scan_next_json(std::string_view text);

/// The items of a list whose brackets or commas are wrong, so that scan_json() takes the end of one
/// item for the end of another. An item ends at a comma outside its brackets, at a closing bracket
/// of another kind than its own, at a comma that no key follows, and before a line that is indented
/// like the first item and opens a bracket. A missing item between two commas is represented by the
/// second comma. `open_item` is the offset at which an unclosed list breaks off, otherwise the size
/// of the text. There are no items if `text` does not begin with a list.
JsonExtent scan_broken_json(std::string_view text);

}  // namespace overlane::document
