#include "topologies/overlap/search/tally.h"

#include <unordered_map>

namespace overlane::overlap {
namespace {

std::uint32_t key_of(const Claim& claim, Level level) {
  switch (level) {
    case Level::List:
      return claim.position.list;
    case Level::Tables:
      return claim.position.tables;
    case Level::Network:
      return claim.position.network;
    case Level::KnownProject:
    case Level::Scope:
      return 0;
  }
  return 0;
}

/// Numbers from 1 for the keys that more than one party has.
std::vector<std::uint32_t> number(std::span<const Claim> claims, Level level, std::size_t& size) {
  struct Seen {
    std::uint32_t party = 0;
    std::uint32_t number = Sharing::kAlone;
    bool is_shared = false;
  };
  std::unordered_map<std::uint32_t, Seen> seen;
  for (const Claim& claim : claims) {
    Seen& entry = seen.try_emplace(key_of(claim, level), Seen{claim.party}).first->second;
    entry.is_shared = entry.is_shared || entry.party != claim.party;
  }
  std::vector<std::uint32_t> numbers;
  numbers.reserve(claims.size());
  size = 1;
  for (const Claim& claim : claims) {
    Seen& entry = seen.at(key_of(claim, level));
    if (entry.is_shared && entry.number == Sharing::kAlone)
      entry.number = static_cast<std::uint32_t>(size++);
    const bool counts = level != Level::KnownProject || claim.position.project_known;
    numbers.push_back(counts ? entry.number : Sharing::kAlone);
  }
  return numbers;
}

}  // namespace

Sharing::Sharing(std::span<const Claim> claims) {
  for (const Level level : kLevels) {
    const auto i = static_cast<std::size_t>(level);
    numbers_[i] = number(claims, level, sizes_[i]);
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

void Tally::add(std::uint32_t claim, std::uint32_t its_class, int change) {
  for (const Level level : kLevels)
    counts_[static_cast<std::size_t>(level)][index(claim, its_class, level)] +=
        static_cast<std::uint32_t>(change);
}

Counts Tally::with(std::uint32_t claim, std::uint32_t other_class) const {
  Counts counts{};
  for (const Level level : kLevels)
    if (sharing_.of(claim, level) != Sharing::kAlone)
      at(counts, level) =
          counts_[static_cast<std::size_t>(level)][index(claim, other_class, level)];
  return counts;
}

}  // namespace overlane::overlap
