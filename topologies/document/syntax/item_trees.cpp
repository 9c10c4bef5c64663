#include "topologies/document/syntax/item_trees.h"

#include <utility>

namespace overlane::document {

ItemTrees::ItemTrees(std::string_view text, const Origin& origin, std::size_t first,
                     std::shared_ptr<const ListHead> list)
    : text_(text), here_(origin), first_(first), list_(std::move(list)) {}

void ItemTrees::add(TreeBuilder& item) {
  const auto [begin, end] = item.rebase();
  here_ = here_.after(text_.substr(at_, begin - at_));
  at_ = begin;
  trees_.push_back(item.finish(LineMap(here_, text_.substr(begin, end - begin)),
                               {list_->path_of(first_ + trees_.size()), list_}));
}

}  // namespace overlane::document
