#include "topologies/overlap/search/tally.h"

#include <unordered_map>

namespace overlane::overlap {
namespace {

std::uint32_t key_of(const RangeEntry& entry, Level level) {
  switch (level) {
    case Level::RouteTable:
      return entry.routing_scope.route_table;
    case Level::PossibleTable:
      return entry.routing_scope.possible_table;
    case Level::Network:
      return entry.routing_scope.network;
    case Level::KnownProject:
    case Level::Scope:
      return 0;
  }
  return 0;
}

/// Numbers from 1 for keys with more than one owner.
std::vector<std::uint32_t> number(std::span<const RangeEntry> entries, Level level,
                                  std::size_t& size) {
  struct Seen {
    std::uint32_t owner = 0;
    std::uint32_t number = Sharing::kAlone;
    bool is_shared = false;
  };
  std::unordered_map<std::uint32_t, Seen> seen;
  for (const RangeEntry& entry : entries) {
    Seen& key = seen.try_emplace(key_of(entry, level), Seen{entry.owner}).first->second;
    key.is_shared = key.is_shared || key.owner != entry.owner;
  }
  std::vector<std::uint32_t> numbers;
  numbers.reserve(entries.size());
  size = 1;
  for (const RangeEntry& entry : entries) {
    Seen& key = seen.at(key_of(entry, level));
    if (key.is_shared && key.number == Sharing::kAlone)
      key.number = static_cast<std::uint32_t>(size++);
    const bool counts = level != Level::KnownProject || entry.routing_scope.project_known;
    numbers.push_back(counts ? key.number : Sharing::kAlone);
  }
  return numbers;
}

}  // namespace

Sharing::Sharing(std::span<const RangeEntry> entries) {
  for (const Level level : kLevels) {
    const auto i = static_cast<std::size_t>(level);
    numbers_[i] = number(entries, level, sizes_[i]);
  }
}

Counts Sharing::between(std::uint32_t a, std::uint32_t b) const {
  Counts counts{};
  for (const Level level : kLevels)
    at(counts, level) = of(a, level) != kAlone && of(a, level) == of(b, level) ? 1 : 0;
  return counts;
}

Tally::Tally(const Sharing& sharing, std::size_t classes) : sharing_(sharing) {
  for (const Level level : kLevels)
    counts_[static_cast<std::size_t>(level)].resize(classes * sharing.size(level));
}

void Tally::add(std::uint32_t entry, std::uint32_t its_class, int change) {
  for (const Level level : kLevels)
    counts_[static_cast<std::size_t>(level)][index(entry, its_class, level)] +=
        static_cast<std::uint32_t>(change);
}

Counts Tally::with(std::uint32_t entry, std::uint32_t other_class) const {
  Counts counts{};
  for (const Level level : kLevels)
    if (sharing_.of(entry, level) != Sharing::kAlone)
      at(counts, level) =
          counts_[static_cast<std::size_t>(level)][index(entry, other_class, level)];
  return counts;
}

}  // namespace overlane::overlap
