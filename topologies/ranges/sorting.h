#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

// Two sort functions for vectors that the standard library lacks.
namespace overlane::ranges {

/// Sorts the values and removes duplicates.
template <typename T>
void sort_unique(std::vector<T>& values) {
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
}

/// Sorts the items by `key_of(index)`; stable. Meant for large items: it moves each item once and
/// needs no second vector of items.
template <typename T, typename KeyOf>
void sort_by(std::vector<T>& items, KeyOf key_of) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, key_of);
  for (std::size_t start = 0; start < order.size(); ++start) {
    if (order[start] == start) continue;
    T first = std::move(items[start]);
    std::size_t at = start;
    for (std::size_t from = order[at]; from != start; from = order[at]) {
      items[at] = std::move(items[from]);
      order[at] = at;
      at = from;
    }
    items[at] = std::move(first);
    order[at] = at;
  }
}

}  // namespace overlane::ranges
