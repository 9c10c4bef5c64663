#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace overlane::overlap {

/// Numbers, and which of them mean the same.
class Numbers {
 public:
  Numbers() = default;
  /// Those below `count`, of which no two mean the same yet.
  explicit Numbers(std::size_t count) : same_as_(count) {
    std::iota(same_as_.begin(), same_as_.end(), std::uint32_t{0});
  }

  /// One that nothing else has.
  std::uint32_t fresh() {
    same_as_.push_back(static_cast<std::uint32_t>(same_as_.size()));
    return same_as_.back();
  }
  void join(std::uint32_t a, std::uint32_t b) {
    const auto [low, high] = std::minmax({find(a), find(b)});
    same_as_[high] = low;
  }
  /// The lowest one that means the same.
  std::uint32_t find(std::uint32_t number) {
    while (same_as_[number] != number)
      number = same_as_[number] = same_as_[same_as_[number]];
    return number;
  }

 private:
  std::vector<std::uint32_t> same_as_;
};

/// A number of `numbers` for each key.
template <typename Key>
class Numbered {
 public:
  explicit Numbered(Numbers& numbers) : numbers_(numbers) {}
  std::uint32_t operator[](const Key& key) {
    const auto [known, is_new] = known_.try_emplace(key);
    if (is_new) known->second = numbers_.fresh();
    return known->second;
  }

 private:
  Numbers& numbers_;
  std::unordered_map<Key, std::uint32_t> known_;
};

}  // namespace overlane::overlap
