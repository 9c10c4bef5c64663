#pragma once

#include <compare>

namespace overlane::node {

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
