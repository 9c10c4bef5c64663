#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/overlap/inventory.h"
#include "topologies/overlap/meaning.h"

namespace overlane::overlap {

/// A range of a shoot and one that it meets whatever other shoots do.
struct InsidePair {
  const Range& own;
  const Range& other;
  Meaning meaning;
  bool is_own = false;     ///< `other` is the same shoot's …
  std::string_view owner;  ///< … or whose.
};

/// What Gardener, the clouds and the landscape's operator keep for themselves.
class ReservedRanges {
 public:
  explicit ReservedRanges(const Inventory& inventory);

  struct Entry {
    Range range;
    std::string owner;
    std::string_view rule;
    /// Whose shoots alone it concerns; nothing: all.
    std::optional<effective::Provider> provider;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// Compares a shoot's ranges with each other, with its seed's and with reserved ones.
void compare_inside(const Shoot& shoot, const ReservedRanges& reserved,
                    const std::function<void(const InsidePair&)>& visit);

}  // namespace overlane::overlap
