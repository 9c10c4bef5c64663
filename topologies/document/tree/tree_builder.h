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

/// Builds Trees, one after the other, from calls in document order. Inside a mapping every value
/// is announced by `key`. Positions are byte offsets of the text that is read, or what `position`
/// gave for a place: one or the other for the whole tree.
class TreeBuilder {
 public:
  void key(std::string_view text, std::uint32_t at);
  std::uint32_t scalar(std::string_view text, bool quoted, std::uint32_t at);
  std::uint32_t null(std::uint32_t at);
  /// Opens a sequence or mapping; what follows goes into it until `close`.
  std::uint32_t open(Kind kind, std::uint32_t at);
  void close();
  /// A copy of a node of this tree that is closed, with its positions.
  void copy_own(std::uint32_t node);

  std::uint32_t position(const SourceLocation& place);
  /// A copy of `value` with all its places.
  void copy(const Value& value);

  std::size_t depth() const { return open_.size(); }
  bool in_mapping() const { return depth() > 0 && nodes_[open_.back()].kind == Kind::Mapping; }
  /// Of the last key.
  std::uint32_t key_position() const { return key_at_; }
  /// Nodes at and below a closed node.
  std::size_t subtree_size(std::uint32_t node) const;
  bool is_open(std::uint32_t node) const { return node < nodes_.size() && !is_closed(node); }

  /// Two entries of one mapping that was closed: its key, and where it stands first and again.
  struct DuplicateKey {
    std::string_view key;
    std::uint32_t first = 0;
    std::uint32_t again = 0;
  };
  /// Of the mapping that was closed last.
  std::optional<DuplicateKey> duplicate_key() const;

  /// Makes the positions start with 0 and tells where in the text they began and end.
  std::pair<std::uint32_t, std::uint32_t> rebase();
  /// The tree, of a text whose offsets `lines` knows.
  Tree finish(LineMap lines, PartOf part_of);
  /// The tree whose positions came from `position`.
  Tree finish(PartOf part_of);
  /// Forgets what was built since the last tree.
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

  // Kept from tree to tree, so that building does not allocate; a Tree gets exact copies.
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
