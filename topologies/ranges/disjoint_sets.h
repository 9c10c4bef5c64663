#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <vector>

// Union-find over numbers. It computes the sets of equal things if equality is known pair by pair:
// networks and route tables that several shoots name, shoots that are in conflict with each other.
// The classes are not thread-safe.
namespace overlane::ranges {

/// Disjoint sets that grow, with the lowest member as representative. (boost::disjoint_sets cannot
/// grow and has no such order.)
class DisjointSets {
 public:
  DisjointSets() = default;
  /// `count` sets with one member each.
  explicit DisjointSets(std::size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), std::uint32_t{0});
  }

  /// Adds a set with one member, and returns the member.
  std::uint32_t add() {
    parents_.push_back(static_cast<std::uint32_t>(parents_.size()));
    return parents_.back();
  }
  /// Unites the sets of two members. Both must exist.
  void join(std::uint32_t a, std::uint32_t b) {
    const auto [low, high] = std::minmax({find(a), find(b)});
    parents_[high] = low;
  }
  /// The lowest member of the set of `number`, which must exist. Not const: it shortens paths.
  std::uint32_t find(std::uint32_t number) {
    assert(number < parents_.size());
    while (parents_[number] != number)
      number = parents_[number] = parents_[parents_[number]];
    return number;
  }

 private:
  std::vector<std::uint32_t> parents_;
};

/// One set of `sets` per key, added on first use. `sets` must outlive this object.
template <typename Key>
class KeyedSets {
 public:
  explicit KeyedSets(DisjointSets& sets) : sets_(sets) {}
  std::uint32_t operator[](const Key& key) {
    const auto [known, is_new] = known_.try_emplace(key);
    if (is_new) known->second = sets_.add();
    return known->second;
  }

 private:
  DisjointSets& sets_;
  std::unordered_map<Key, std::uint32_t> known_;
};

}  // namespace overlane::ranges
