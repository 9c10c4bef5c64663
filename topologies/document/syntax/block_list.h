#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace overlane::document {

/// A document in block style whose root has the key `items` with a list, cut at the lines of the
/// items. That is right where every line of an item is indented deeper than its dash, as YAML asks
/// for; an alias might refer to another item, so there is no BlockList then.
struct BlockList {
  std::vector<std::string_view> items;  ///< Whole lines, one after the other.
  /// The document without them: `items` is null.
  std::string head;
};

std::optional<BlockList> find_block_list(std::string_view document);

}  // namespace overlane::document
