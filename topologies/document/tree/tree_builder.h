#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

// How trees are made and stored. Parsers call a TreeBuilder in document order, and it packs nodes
// of 28 bytes and one pool of text into a TreeStorage, which then never changes. Parsers throw a
// Refusal for a text beyond the limits (depth, duplicate keys, broken lists). Code outside
// topologies/document does not need this header. A builder is used by one thread.

inline constexpr std::uint32_t kNoNode = ~std::uint32_t{0};
/// Unknown position.
inline constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

/// One node, in 28 bytes. Nodes are in document order: a container's first child follows it, and
/// its descendants end before `end`.
struct Node {
  std::uint32_t at = kNowhere;     ///< Position of the value (see TreeStorage::place).
  std::uint32_t parent = kNoNode;  ///< kNoNode for the root.
  /// For an entry: position of the key. For an item: its index.
  std::uint32_t key_at_or_index = 0;
  std::uint32_t key_offset = 0;  ///< Offset in TreeStorage::text, like `text_offset`.
  std::uint32_t key_size : 29 = 0;
  Kind kind : 2 = Kind::Null;
  bool quoted : 1 = false;
  union {
    std::uint32_t text_offset = 0;  ///< For a scalar: offset of its text.
    std::uint32_t end;              ///< For a container: the node after its subtree.
  };
  /// For a scalar: bytes of its text. For a container: number of children.
  std::uint32_t size = 0;
};
static_assert(sizeof(Node) == 28);
/// Maximum length of a key in bytes; larger than any accepted document.
inline constexpr std::uint32_t kMaxKeyBytes = (1u << 29) - 1;

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
  std::string path;  ///< Path of the tree's root in the list's document.
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
  /// Whether the node has the key. Most other keys differ in size or first byte, which is checked
  /// first.
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

/// Builds Trees one after the other from calls in document order. In a mapping, call `key` before
/// each value. Positions are byte offsets of the source text or values of `position`; a tree uses
/// only one of them.
class TreeBuilder {
 public:
  void key(std::string_view text, std::uint32_t at);
  std::uint32_t scalar(std::string_view text, bool quoted, std::uint32_t at);
  std::uint32_t null(std::uint32_t at);
  /// Opens a sequence or mapping; following nodes belong to it until `close`.
  std::uint32_t open(Kind kind, std::uint32_t at);
  void close();
  /// Copies a closed node of this tree with its positions.
  void copy_own(std::uint32_t node);

  std::uint32_t position(const SourceLocation& place);
  /// Copies `value` with its locations.
  void copy(const Value& value);

  std::size_t depth() const { return open_.size(); }
  bool in_mapping() const { return depth() > 0 && nodes_[open_.back()].kind == Kind::Mapping; }
  /// Position of the last key.
  std::uint32_t key_position() const { return key_at_; }
  /// Number of nodes at and below a closed node.
  std::size_t subtree_size(std::uint32_t node) const;
  bool is_open(std::uint32_t node) const { return node < nodes_.size() && !is_closed(node); }

  /// Two entries of one closed mapping with the same key, and their positions.
  struct DuplicateKey {
    std::string_view key;
    std::uint32_t first = 0;
    std::uint32_t again = 0;
  };
  /// The duplicate key of the mapping that was closed last; nullopt if there is none.
  std::optional<DuplicateKey> duplicate_key() const;

  /// Makes positions start at 0; returns their former first and last offset.
  std::pair<std::uint32_t, std::uint32_t> rebase();
  /// Returns the tree; its positions are offsets that `lines` converts.
  Tree finish(LineMap lines, PartOf part_of);
  /// Returns the tree; its positions are from `position`.
  Tree finish(PartOf part_of);
  /// Discards the nodes built since the last tree.
  void clear();

 private:
  Node& add(Kind kind, std::uint32_t at);
  std::uint32_t append(std::string_view text);
  bool is_closed(std::uint32_t node) const;
  void index_keys(std::uint32_t mapping);
  void find_duplicate(std::uint32_t mapping);
  std::shared_ptr<TreeStorage> take();
  std::string_view key_of(std::uint32_t node) const {
    return {text_.data() + nodes_[node].key_offset, nodes_[node].key_size};
  }
  std::uint32_t after(std::uint32_t node) const {
    return nodes_[node].kind >= Kind::Sequence ? nodes_[node].end : node + 1;
  }

  // Reused for the next tree to avoid allocations; a Tree gets exact copies.
  std::vector<Node> nodes_;
  std::string text_;
  std::vector<KeyIndex> key_indices_;
  std::vector<std::uint32_t> sorted_entries_;
  std::vector<FilePosition> places_;
  std::vector<Interned> files_;
  std::vector<std::uint32_t> open_;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> duplicate_;
  std::uint32_t key_offset_ = 0;
  std::uint32_t key_size_ = 0;
  std::uint32_t key_at_ = 0;
};

/// Maximum depth; deeper documents are refused. Kubernetes objects nest about 20 levels.
inline constexpr std::size_t kMaxDepth = 200;
/// Nesting depth of the items in a `kind: List` document.
inline constexpr std::size_t kDepthOfItems = 2;

/// Why a text is refused, and the offset of the cause. Thrown through yaml-cpp's parser.
struct Refusal {
  std::string rule;
  std::string message;
  std::string hint;
  std::size_t at = 0;

  /// The finding for a text that starts at `origin`.
  Finding finding(std::string_view text, const Origin& origin) const;
};

Refusal nesting_limit(std::size_t at);
/// Refusal for a duplicate key. Names the key unless `text` or its list (null: none) may contain
/// Secrets.
Refusal duplicate_key(const TreeBuilder::DuplicateKey& twice, std::string_view text,
                      const Origin& origin, const ListHead* list);

/// Refusal for a JSON list that is not closed, from the item at `at` on.
Refusal broken_off(std::size_t at);

/// Refusal for a `...` in place of omitted content.
Refusal elision(std::size_t at);

/// Builds one Tree per list item, in order. The list's text starts at `origin`; paths are
/// "items[<first>]" and following.
class ItemTrees {
 public:
  ItemTrees(std::string_view text, const Origin& origin, std::size_t first,
            std::shared_ptr<const ListHead> list);

  /// Adds a built item; its positions are offsets of the text.
  void add(TreeBuilder& item);
  std::vector<Tree> take() { return std::move(trees_); }

 private:
  std::string_view text_;
  Origin here_;  ///< Location of `at_`.
  std::size_t at_ = 0;
  std::size_t first_;
  std::shared_ptr<const ListHead> list_;
  std::vector<Tree> trees_;
};

}  // namespace overlane::document
