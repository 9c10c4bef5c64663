#pragma once

#include <string>
#include <string_view>

#include "results/finding/result.h"
#include "topologies/document/tree.h"

namespace overlane::document {

/// Deeper documents are refused; Kubernetes objects nest about 20 levels.
inline constexpr std::size_t kMaximumDepth = 200;
/// Nodes that aliases may add to one document before it counts as an alias bomb.
inline constexpr std::size_t kMaximumAliasNodes = 100'000;

/// Parses the one YAML or JSON document in `text`, whose first line is line `first_line` of
/// `file`. Refuses syntax errors, duplicate keys, merge keys (`<<`), keys that are no single
/// value, and documents beyond the two limits above.
Result<Tree> parse_document(std::string_view text, const std::string& file, int first_line);

}  // namespace overlane::document
