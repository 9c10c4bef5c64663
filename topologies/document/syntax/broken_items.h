#pragma once

#include <memory>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/document/syntax/block_list.h"
#include "topologies/document/syntax/cut.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

/// Reads each item of a block-style list that cannot be parsed as a whole, mostly because one item
/// is bad and another refers to an anchor outside of itself. An item without such an alias is read
/// alone. The others are read together, with every bad item replaced by null; an item whose anchor
/// went with a bad one is bad too. The result has one tree or finding per item, in order; items
/// without content are left out.
std::vector<Result<Tree>> parse_broken_items(const TextPart& document, const BlockList& list,
                                             const std::shared_ptr<const ListHead>& head);

}  // namespace overlane::document
