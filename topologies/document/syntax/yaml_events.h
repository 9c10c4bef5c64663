#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "results/base/result.h"
#include "results/finding/finding.h"
#include "topologies/document/tree/tree.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {

// YAML to trees with the event interface of yaml-cpp: the complete parser for every text that the
// fast paths do not accept. It refuses texts that Kubernetes refuses or that could exhaust memory:
// duplicate keys, merge keys, alias bombs, deep nesting, endless tokens.

/// Maximum number of nodes that aliases may add to one document; more are refused as an alias bomb.
inline constexpr std::size_t kMaxAliasNodes = 100'000;
/// Maximum number of bytes without a key, a value or the start of a block: yaml-cpp
/// keeps a scalar and a one-line flow collection in memory, the latter at many times its size.
inline constexpr std::size_t kMaxTokenBytes = std::size_t{2} << 20;

/// Parses the one YAML document in `text`. Refuses syntax errors, duplicate keys, merge keys
/// (`<<`), non-scalar keys, and documents beyond the limits above.
Result<Tree> parse_yaml(std::string_view text, const Origin& origin, PartOf part_of);

/// Parses a part of a block-style list: `text` holds whole items and starts with the line of the
/// first. Each item becomes a Tree with the path "items[<first>]" and following.
Result<std::vector<Tree>> parse_yaml_items(std::string_view text, const Origin& origin,
                                           std::size_t first,
                                           const std::shared_ptr<const ListHead>& list);

}  // namespace overlane::document
