#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "results/finding/finding.h"
#include "topologies/document/tree/line_map.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {

/// Deeper documents are refused; Kubernetes objects nest about 20 levels.
inline constexpr std::size_t kMaximumDepth = 200;
/// Nesting depth of the items in a `kind: List` document.
inline constexpr std::size_t kDepthOfItems = 2;

/// Why a text is refused, and the offset that shows it. Thrown through yaml-cpp's parser.
struct Refusal {
  std::string rule;
  std::string message;
  std::string hint;
  std::size_t at = 0;

  /// The finding for a text that starts at `origin`.
  Finding finding(std::string_view text, const Origin& origin) const;
};

Refusal nesting_limit(std::size_t at);
/// Names the key unless `text` or its list (nullptr: none) may contain Secrets.
Refusal duplicate_key(const TreeBuilder::DuplicateKey& twice, std::string_view text,
                      const Origin& origin, const ListHead* list);

/// A JSON list that is not closed, from the item at `at`.
Refusal broken_off(std::size_t at);

/// A `...` in place of omitted content.
Refusal elision(std::size_t at);

}  // namespace overlane::document
