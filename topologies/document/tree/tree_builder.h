#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topologies/document/tree/tree.h"
#include "topologies/document/tree/tree_storage.h"

namespace overlane::document {

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
  /// In the mapping closed last.
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

}  // namespace overlane::document
