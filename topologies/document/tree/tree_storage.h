#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/document/tree/line_map.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

inline constexpr std::uint32_t kNoNode = ~std::uint32_t{0};
/// Unknown position.
inline constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

/// One node, in 28 bytes. Nodes are in document order: a container's first child follows it, and
/// its descendants end before `end`.
struct Node {
  std::uint32_t at = kNowhere;     ///< Position of the value (see TreeStorage::place).
  std::uint32_t parent = kNoNode;  ///< kNoNode for the root.
  /// Entry: position of the key. Item: its index.
  std::uint32_t key_at_or_index = 0;
  std::uint32_t key_offset = 0;  ///< In TreeStorage::text, as `text_offset`.
  std::uint32_t key_size : 29 = 0;
  Kind kind : 2 = Kind::Null;
  bool quoted : 1 = false;
  union {
    std::uint32_t text_offset = 0;  ///< Of a scalar.
    std::uint32_t end;              ///< Of a container.
  };
  /// Scalar: bytes of its text. Container: number of children.
  std::uint32_t size = 0;
};
static_assert(sizeof(Node) == 28);
/// In bytes; larger than any accepted document.
inline constexpr std::uint32_t kLongestKey = (1u << 29) - 1;

/// The entries of one large mapping, sorted by key: a part of TreeStorage::sorted_entries.
struct KeyIndex {
  std::uint32_t mapping = 0;
  std::uint32_t begin = 0;
};
/// Mappings with more entries than this have a KeyIndex.
inline constexpr std::uint32_t kMaxEntriesToScan = 16;

/// A location in a composed tree.
struct FilePosition {
  std::uint32_t file = 0;  ///< Index into TreeStorage::files.
  int line = 0;
  int column = 0;
};

/// The list that contains a tree; empty for a whole document.
struct PartOf {
  std::string path;  ///< Path of the tree's root in it.
  std::shared_ptr<const ListHead> list;
};

/// The shared storage of a Tree: nodes in document order (0 is the root) and one pool of text.
struct TreeStorage : std::enable_shared_from_this<TreeStorage> {
  std::vector<Node> nodes;
  std::string text;
  std::vector<KeyIndex> key_indices;  ///< Sorted by mapping.
  std::vector<std::uint32_t> sorted_entries;
  PartOf part_of;
  /// Positions of a parsed document are byte offsets that `lines` converts; those of a composed one
  /// are indices of `places`.
  LineMap lines;
  std::vector<FilePosition> places;
  std::vector<Interned> files;

  std::string_view text_of(const Node& node) const {
    return node.kind == Kind::Scalar ? view(node.text_offset, node.size) : std::string_view();
  }
  std::string_view key_of(const Node& node) const { return view(node.key_offset, node.key_size); }
  /// Most non-matching keys differ in size or first byte.
  bool has_key(const Node& node, std::string_view key) const {
    return node.key_size == key.size() && (key.empty() || text[node.key_offset] == key.front()) &&
           key_of(node) == key;
  }
  /// The node after the subtree of `node`.
  std::uint32_t after(std::uint32_t node) const {
    return nodes[node].kind >= Kind::Sequence ? nodes[node].end : node + 1;
  }
  SourceLocation place(std::uint32_t position) const;
  /// The entry of `mapping` under `key`, or kNoNode.
  std::uint32_t find(std::uint32_t mapping, std::string_view key) const;

 private:
  std::string_view view(std::uint32_t offset, std::uint32_t size) const {
    return {text.data() + offset, size};
  }
};

}  // namespace overlane::document
