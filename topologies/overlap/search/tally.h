#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "topologies/overlap/search/search.h"

namespace overlane::overlap {

/// What two entries may share, from the narrowest to the widest.
enum class Level : std::uint8_t {
  RouteTable,
  PossibleTable,
  Network,
  KnownProject,  ///< Both projects are known.
  Scope,         ///< The search itself.
};
inline constexpr std::array kLevels = {Level::RouteTable, Level::PossibleTable, Level::Network,
                                       Level::KnownProject, Level::Scope};
/// Number of entries that share each level.
using Counts = std::array<std::int64_t, kLevels.size()>;

inline std::int64_t& at(Counts& counts, Level level) {
  return counts[static_cast<std::size_t>(level)];
}
inline std::int64_t at(const Counts& counts, Level level) {
  return counts[static_cast<std::size_t>(level)];
}

/// Groups entries by what they share.
class Sharing {
 public:
  explicit Sharing(std::span<const RangeEntry> entries);

  /// The entry's group at this level; kAlone: shared with no other owner.
  std::uint32_t of(std::uint32_t entry, Level level) const {
    return numbers_[static_cast<std::size_t>(level)][entry];
  }
  std::size_t size(Level level) const { return sizes_[static_cast<std::size_t>(level)]; }
  /// For two entries, 1 for each level that they share.
  Counts between(std::uint32_t a, std::uint32_t b) const;

  static constexpr std::uint32_t kAlone = 0;

 private:
  std::array<std::vector<std::uint32_t>, kLevels.size()> numbers_;
  std::array<std::size_t, kLevels.size()> sizes_{};
};

/// Counts entries by class and by what they share.
class Tally {
 public:
  Tally(const Sharing& sharing, std::size_t classes);

  void add(std::uint32_t entry, std::uint32_t its_class, int change);
  /// Entries of that class that share each level with `entry`.
  Counts with(std::uint32_t entry, std::uint32_t other_class) const;

 private:
  std::size_t index(std::uint32_t entry, std::uint32_t its_class, Level level) const {
    return its_class * sharing_.size(level) + sharing_.of(entry, level);
  }

  const Sharing& sharing_;
  std::array<std::vector<std::uint32_t>, kLevels.size()> counts_;
};

}  // namespace overlane::overlap
