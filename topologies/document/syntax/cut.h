#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/base/result.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

// The lowest layer of parsing: lines, blanks and document markers. It cuts a text at its `---`
// lines (YAML 1.2, section 9) without reading the documents themselves. A TextPart refers to the
// text, which must outlive it.

/// A part of a text and its location.
struct TextPart {
  std::string_view text;
  Origin origin;
  bool plain = false;  ///< True if is_plain() is known to hold.
};

/// Blanks within a line, without line feeds.
inline constexpr std::string_view kBlank = " \t\r";

/// `text` without leading and trailing blanks and line ends.
std::string_view trimmed(std::string_view text);
/// Removes the first line from `text` and returns it without its line end.
std::string_view take_line(std::string_view& text);
/// Whether a line is a document marker (`---`, `...`), alone or followed by a blank.
bool marks(std::string_view line, std::string_view marker);
/// Whether a line contains nothing but blanks and a comment.
bool is_empty_line(std::string_view line);

/// Splits a text at its `---` lines and omits documents without content.
std::vector<TextPart> cut_documents(const TextPart& text);
/// Offset of the last complete `---` line, except one at the very beginning; npos if there is none.
std::size_t last_document_start(std::string_view text);

/// The content of a document in JSON or YAML flow style (it starts with { or [); otherwise an empty
/// part.
TextPart flow_content(const TextPart& document);

// Splits a block-style YAML list (`items:` of kubectl's List, or a root sequence) at the lines
// that start its items, so that each item is parsed alone: in parallel, and a broken item does
// not hide the others. A result refers to the text of the document, which must outlive it.

/// A block-style document with a root key `items`, or a root sequence, whose list is split at the
/// item lines. Correct if every line of an item is indented deeper than its dash, as YAML requires.
/// An alias could refer to another item, so a document with aliases is not split.
struct BlockList {
  std::vector<std::string_view> items;  ///< Whole lines, consecutive.
  /// The document without the items: its `items` is null. Empty for a root sequence.
  std::string head;
  bool is_array = false;  ///< Whether the list is a root sequence.
};

std::optional<BlockList> find_block_list(std::string_view document);

/// Splits the list of a document that cannot be parsed. The document may contain aliases, and lines
/// with too little indentation, which belong to the item before them unless they start a root key.
std::optional<BlockList> find_broken_block_list(std::string_view document);

/// Offset of the bracket after a root key `items:` in block style, or npos.
std::size_t find_flow_items(std::string_view document);

/// Reads each item of a block-style list that cannot be parsed as a whole, mostly because one item
/// is bad and another refers to an anchor outside of itself. An item without such an alias is read
/// alone. The others are read together, with every bad item replaced by null; an item that refers
/// to an anchor in a bad item is bad too. The result has one tree or finding per item, in order;
/// items without content are left out.
std::vector<Result<Tree>> parse_broken_items(const TextPart& document, const BlockList& list,
                                             const std::shared_ptr<const ListHead>& head);

}  // namespace overlane::document
