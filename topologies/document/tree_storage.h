#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/document/tree.h"

namespace overlane::document {

inline constexpr std::uint32_t kNoNode = ~std::uint32_t{0};

/// A piece of TreeStorage::text.
struct TextSpan {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

/// One node; children of a node are linked in order through `next`.
struct Node {
  Kind kind = Kind::Null;
  bool quoted = false;
  std::uint32_t file = 0;  ///< Index into TreeStorage::files.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t key_line = 0;  ///< 0 outside of mappings.
  std::uint32_t key_column = 0;
  std::uint32_t parent = kNoNode;
  std::uint32_t first_child = kNoNode;
  std::uint32_t last_child = kNoNode;
  std::uint32_t next = kNoNode;
  std::uint32_t index = 0;  ///< Among the parent's children.
  TextSpan key;
  TextSpan text;
};

/// What a Tree shares: nodes in document order (0 is the root) and one pool of text.
struct TreeStorage {
  std::vector<Node> nodes;
  std::string text;
  std::vector<std::string> files;
  std::string root_path;  ///< Field path of node 0 in the document it was taken from.

  std::string_view view(TextSpan span) const {
    return std::string_view(text).substr(span.offset, span.size);
  }
};

}  // namespace overlane::document
