#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/document/tree.h"
#include "topologies/document/tree_storage.h"

namespace overlane::document {

/// Line and column, counted from 1.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// Builds a Tree from a stream of calls in document order. Inside a mapping every value is
/// announced by `key`.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::string root_path = "");

  /// All nodes added from now on stand in this file.
  void in_file(const std::string& file);

  void key(std::string_view text, Position position);
  std::uint32_t scalar(std::string_view text, bool quoted, Position position);
  std::uint32_t null(Position position);
  /// Opens a sequence or mapping; what follows goes into it until `close`.
  std::uint32_t open(Kind kind, Position position);
  void close();
  /// A copy of `value` with all its places; `node` is a finished node of this builder.
  void copy(const Value& value);
  void copy_own(std::uint32_t node);

  std::size_t depth() const { return open_.size(); }
  std::uint32_t innermost() const { return open_.back(); }
  bool is_open(std::uint32_t node) const;
  const TreeStorage& storage() const { return *storage_; }

  Tree finish();

 private:
  std::uint32_t add(Node node, Position position);
  TextSpan intern(std::string_view text);

  std::shared_ptr<TreeStorage> storage_;
  std::vector<std::uint32_t> open_;
  std::uint32_t file_ = 0;
  TextSpan key_;
  Position key_position_;
};

}  // namespace overlane::document
