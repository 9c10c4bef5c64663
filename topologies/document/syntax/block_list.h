#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace overlane::document {

/// A block-style document with a root key `items` whose list is split at the item lines. Correct if
/// every line of an item is indented deeper than its dash, as YAML requires. An alias could refer
/// to another item, so a document with aliases is not split.
struct BlockList {
  std::vector<std::string_view> items;  ///< Whole lines, consecutive.
  /// The document without the items: `items` is null.
  std::string head;
};

std::optional<BlockList> find_block_list(std::string_view document);

}  // namespace overlane::document
