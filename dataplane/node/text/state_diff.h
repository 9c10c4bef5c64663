#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::node {

// Differences between two states, in the lines of their texts (state_text.h).
// DiffLines and side_by_side are the two tools that the comparison is made of.

/// What changed between two states, in the lines of their texts (to_string): "- " before a line
/// that went, "+ " before one that came, sorted as the text is, a line's old form before its new
/// one. Taking the former out of the text of `before` and the latter in gives the lines of `after`;
/// empty when the texts are the same.
///
/// Between states that share a cluster table it costs as much as they differ: the peers' routes are
/// not expanded unless a device they need came or went.
std::string diff(const NodeState& before, const NodeState& after);

/// The difference of two states of a VPC. Costs one comparison for each route.
std::string diff(const FabricState& before, const FabricState& after);

/// Collects what went and what came, line by line.
class DiffLines {
 public:
  void change(const std::optional<std::string>& before, const std::optional<std::string>& after) {
    if (before == after) return;
    if (before) text_ += "- " + *before + '\n';
    if (after) text_ += "+ " + *after + '\n';
  }

  /// Adds the changes between two lists whose order means nothing, or is always the same.
  void change(const std::vector<std::string>& before, const std::vector<std::string>& after);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Walks two lists that are sorted by `key` and calls `each(before, after)` once for every key: a
/// pointer to the entry of either list, null where that list has none.
template <typename List, typename Key, typename Each>
void side_by_side(const List& before, const List& after, Key key, Each each) {
  auto a = before.begin();
  auto b = after.begin();
  while (a != before.end() || b != after.end()) {
    const bool from_a = a != before.end() && (b == after.end() || key(*a) <= key(*b));
    const bool from_b = b != after.end() && (a == before.end() || key(*b) <= key(*a));
    each(from_a ? &*a : nullptr, from_b ? &*b : nullptr);
    if (from_a) ++a;
    if (from_b) ++b;
  }
}

}  // namespace overlane::node
