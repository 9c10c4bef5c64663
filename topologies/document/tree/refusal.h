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
/// How deep the items of a `kind: List` document stand in it.
inline constexpr std::size_t kDepthOfItems = 2;

/// Why a text is not read, and the byte that shows it. Leaves yaml-cpp's parser as an exception.
struct Refusal {
  std::string rule;
  std::string message;
  std::string hint;
  std::size_t at = 0;

  /// For a text that starts at `origin`.
  Finding finding(std::string_view text, const Origin& origin) const;
};

Refusal nesting_limit(std::size_t at);
/// Names the key unless `text`, or the list that it is an item of (nullptr: none), may be of
/// Secrets.
Refusal duplicate_key(const TreeBuilder::DuplicateKey& twice, std::string_view text,
                      const Origin& origin, const ListHead* list);

/// A list in JSON that is never closed, from the item at `at` on.
Refusal broken_off(std::size_t at);

/// A `...` that stands for left-out parts of a document.
Refusal elision(std::size_t at);

}  // namespace overlane::document
