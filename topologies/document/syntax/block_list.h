#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/base/result.h"
#include "topologies/document/syntax/cut.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

// Splits a block-style YAML list (`items:` of kubectl's List, or a root sequence) at the lines
// that start its items, so that each item is parsed alone: in parallel, and a broken item does
// not hide the others. A result refers to the text of the document, which must outlive it.

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

/// Splits the list of a document that cannot be parsed. It may hold aliases, and lines with too
/// little indentation, which belong to the item before them unless they start a root key.
std::optional<BlockList> find_broken_block_list(std::string_view document);

/// Offset of the bracket after a root key `items:` in block style, or npos.
std::size_t find_flow_items(std::string_view document);

/// Reads each item of a block-style list that cannot be parsed as a whole, mostly because one item
/// is bad and another refers to an anchor outside of itself. An item without such an alias is read
/// alone. The others are read together, with every bad item replaced by null; an item whose anchor
/// went with a bad one is bad too. The result has one tree or finding per item, in order; items
/// without content are left out.
std::vector<Result<Tree>> parse_broken_items(const TextPart& document, const BlockList& list,
                                             const std::shared_ptr<const ListHead>& head);

}  // namespace overlane::document
