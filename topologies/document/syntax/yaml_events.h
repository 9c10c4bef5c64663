#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "results/finding/result.h"
#include "topologies/document/tree/line_map.h"
#include "topologies/document/tree/tree_storage.h"

namespace overlane::document {

/// Nodes that aliases may add to one document before it counts as an alias bomb.
inline constexpr std::size_t kMaximumAliasNodes = 100'000;
/// Input that may go by without a key, a value or the start of a block, before it is refused:
/// yaml-cpp holds a text and a one-line flow collection whole, the latter in many times its size.
inline constexpr std::size_t kMaximumTokenBytes = std::size_t{2} << 20;

/// Parses the one YAML document in `text`. Refuses syntax errors, duplicate keys, merge keys
/// (`<<`), keys that are no single value, and documents beyond the limits above.
Result<Tree> parse_yaml(std::string_view text, const Origin& origin, PartOf part_of);

/// The same for a part of a block-style list: `text` holds whole items and starts with the line of
/// the first. They become Trees of their own, named from "items[<first>]" on.
Result<std::vector<Tree>> parse_yaml_items(std::string_view text, const Origin& origin,
                                           std::size_t first,
                                           const std::shared_ptr<const ListHead>& list);

}  // namespace overlane::document
