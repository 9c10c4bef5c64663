#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "topologies/document/tree/tree.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {

// Fast path for the YAML that programs print and most people write: ASCII, block style, one key and
// one value per line or a text in the following lines. Gives the same result as yaml-cpp in a
// fraction of the time. Returns nullopt for other or invalid texts, which yaml-cpp must parse.

/// Same contract as parse_yaml(), for plain texts.
std::optional<Tree> parse_plain_yaml(std::string_view text, const Origin& origin, PartOf part_of);

/// Same contract as parse_yaml_items(), for plain texts.
std::optional<std::vector<Tree>> parse_plain_yaml_items(
    std::string_view text, const Origin& origin, std::size_t first,
    const std::shared_ptr<const ListHead>& list);

}  // namespace overlane::document
