#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "topologies/document/tree/line_map.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {

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
  Origin here_;  ///< Of `at_`.
  std::size_t at_ = 0;
  std::size_t first_;
  std::shared_ptr<const ListHead> list_;
  std::vector<Tree> trees_;
};

}  // namespace overlane::document
