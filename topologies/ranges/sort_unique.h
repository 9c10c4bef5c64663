#pragma once

#include <algorithm>
#include <vector>

namespace overlane::ranges {

/// Sorts the values and removes duplicates.
template <typename T>
void sort_unique(std::vector<T>& values) {
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
}

}  // namespace overlane::ranges
