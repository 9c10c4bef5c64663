#include "topologies/overlap/remedy/conflicts.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "topologies/overlap/pairs/self_overlap.h"
#include "topologies/ranges/sorting.h"

namespace overlane::overlap {
namespace {

/// Pairs per group: a clique of 600 shoots is listed whole.
constexpr std::size_t kMaxPairs = 200'000;

/// "secondary CIDR of the shop 100.100.0.0/16".
std::string named(std::string_view owner, const Range& range) {
  return fmt::format("{} {}", owner, range.cidr.to_string());
}

std::optional<std::uint32_t> shoot_of(const Inventory& inventory,
                                      const ComparisonScope& comparison_scope,
                                      const RangeEntry& entry) {
  const Shoot* shoot = comparison_scope.owner_of_entry(entry).shoot;
  if (shoot == nullptr) return std::nullopt;
  return static_cast<std::uint32_t>(shoot - inventory.shoots.data());
}

std::string name_of(const ComparisonScope& comparison_scope, const RangeEntry& entry) {
  const ComparedOwner& owner = comparison_scope.owner_of_entry(entry);
  const std::string name = owner.owner_of(*entry.range);
  return owner.shoot != nullptr ? name : named(name, *entry.range);
}

void add_pair(const Inventory& inventory, const ComparisonScope& comparison_scope,
              const RangeEntry& a, const RangeEntry& b, Conflicts& conflicts) {
  const auto first = shoot_of(inventory, comparison_scope, a);
  const auto second = shoot_of(inventory, comparison_scope, b);
  if (first && second)
    conflicts.pairs.push_back(std::minmax(*first, *second));
  else if (first || second)
    conflicts.alone.push_back(first ? *first : *second);
  if (first)
    conflicts.involved.push_back(
        {*first, a.range->role, a.range->cidr, name_of(comparison_scope, b)});
  if (second)
    conflicts.involved.push_back(
        {*second, b.range->role, b.range->cidr, name_of(comparison_scope, a)});
}

void add_scope(const Inventory& inventory, const ComparisonScope& comparison_scope,
               const std::vector<bool>& takes_part, Severity threshold, Conflicts& conflicts) {
  std::vector<RangeEntry> entries;
  for (const RangeEntry& entry : comparison_scope.entries)
    if (const auto shoot = shoot_of(inventory, comparison_scope, entry);
        !shoot || takes_part[*shoot])
      entries.push_back(entry);
  for (const PairGroup& group : search(entries, comparison_scope.scope, kMaxPairs, threshold)) {
    if (group.impact.severity < threshold) continue;
    conflicts.complete = conflicts.complete && group.pairs == group.listed.size();
    for (const RangePair& pair : group.listed)
      add_pair(inventory, comparison_scope, entries[pair.a], entries[pair.b], conflicts);
  }
}

void add_self_overlaps(const Shoot& shoot, std::uint32_t number,
                       const std::vector<Reserved>& reserved, Severity threshold,
                       Conflicts& conflicts) {
  compare_own_ranges(shoot, reserved, [&](const SelfOverlap& pair) {
    if (pair.impact.severity < threshold) return;
    conflicts.alone.push_back(number);
    const std::string other = pair.is_own ? fmt::format("its own {}", to_string(pair.other.role))
                                          : named(pair.owner, pair.other);
    conflicts.involved.push_back({number, pair.own.role, pair.own.cidr, other});
  });
}

}  // namespace

Conflicts find_conflicts(const Comparison& comparison, const std::vector<bool>& takes_part,
                         const ConflictScope& scope) {
  const auto& [inventory, routing_scopes, comparison_scopes] = comparison;
  assert(takes_part.size() == inventory.shoots.size());
  Conflicts conflicts;
  const std::vector<Reserved> reserved = reserved_ranges(inventory);
  const auto counts = [&](const std::string& domain) {
    return scope.domain.empty() || scope.domain == domain;
  };
  for (std::uint32_t i = 0; i < inventory.shoots.size(); ++i)
    if (takes_part[i] && counts(routing_scopes.domains[routing_scopes.shoots[i].domain].key))
      add_self_overlaps(inventory.shoots[i], i, reserved, scope.least, conflicts);
  for (const ComparisonScope& comparison_scope : comparison_scopes)
    if (counts(comparison_scope.key))
      add_scope(inventory, comparison_scope, takes_part, scope.least, conflicts);
  ranges::sort_unique(conflicts.pairs);
  ranges::sort_unique(conflicts.alone);
  ranges::sort_unique(conflicts.involved);
  return conflicts;
}

}  // namespace overlane::overlap
