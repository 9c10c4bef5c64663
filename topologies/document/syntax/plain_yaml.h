#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "topologies/document/tree/line_map.h"
#include "topologies/document/tree/tree_storage.h"

namespace overlane::document {

// The YAML that programs print and most people write: blocks by indentation, one key and one value
// to a line or a text in the lines behind it, in ASCII. It is read as yaml-cpp reads it, in a
// fraction of the time. Nothing is returned for a text that is not of that kind, or wrong: only
// yaml-cpp tells what it says.

/// As parse_yaml does.
std::optional<Tree> parse_plain_yaml(std::string_view text, const Origin& origin, PartOf part_of);

/// As parse_yaml_items does.
std::optional<std::vector<Tree>> parse_plain_yaml_items(
    std::string_view text, const Origin& origin, std::size_t first,
    const std::shared_ptr<const ListHead>& list);

}  // namespace overlane::document
