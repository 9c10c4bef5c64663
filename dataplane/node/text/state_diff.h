#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::node {

// Differences between two states, in the lines of their texts (state_text.h). DiffLines and
// side_by_side() are the parts of the comparison.

/// Returns the changes between two states in the lines of their texts (to_string): "- " in front of
/// a removed line, "+ " in front of an added one. They are sorted like the text, with a line's old
/// form before its new one. Removing the "- " lines from the text of `before` and adding the "+ "
/// lines gives the lines of `after`. Empty if the texts are equal.
///
/// The cost is proportional to the difference if the states share a cluster table: the peers'
/// routes are not expanded unless one of their devices came or went.
std::string diff(const NodeState& before, const NodeState& after);

/// Returns the difference of two states of a VPC. Costs one comparison for each route.
std::string diff(const FabricState& before, const FabricState& after);

/// Collects removed and added lines.
class DiffLines {
 public:
  void change(const std::optional<std::string>& before, const std::optional<std::string>& after) {
    if (before == after) return;
    if (before) text_ += "- " + *before + '\n';
    if (after) text_ += "+ " + *after + '\n';
  }

  /// Adds the changes between two lists. Their order must be irrelevant, or always the same.
  void change(const std::vector<std::string>& before, const std::vector<std::string>& after);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Merges two lists that are sorted by `key`. Calls `each(before, after)` once for every key, with
/// pointers to the entries of both lists; a pointer is null if its list has no such entry.
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
