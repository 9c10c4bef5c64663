#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace overlane::document {

/// A block-style document with a root key `items`, or a root sequence, whose list is split at the
/// item lines. Correct if every line of an item is indented deeper than its dash, as YAML requires.
/// An alias could refer to another item, so a document with aliases is not split.
struct BlockList {
  std::vector<std::string_view> items;  ///< Whole lines, consecutive.
  /// The document without the items: `items` is null. Empty for a root sequence.
  std::string head;
  bool is_array = false;  ///< A root sequence.
};

std::optional<BlockList> find_block_list(std::string_view document);

/// The same for a document that cannot be parsed, which may hold aliases and lines with too little
/// indentation: these belong to the item before them, unless they start a root key.
std::optional<BlockList> find_broken_block_list(std::string_view document);

/// Offset of the bracket after a root key `items:` in block style, or npos.
std::size_t find_flow_items(std::string_view document);

}  // namespace overlane::document
