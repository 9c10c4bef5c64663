#include "topologies/overlap/testing/quadratic.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace overlane::overlap::testing {
namespace {

std::optional<Relation> relation_of(const RoutingScope& a, const RoutingScope& b,
                                    const SearchScope& scope) {
  if (scope.is_connection) {
    if (a.network == b.network) return std::nullopt;
    const bool are_known = a.project_known && b.project_known;
    return Relation{scope.connected, are_known, are_known};
  }
  if (a.route_table == b.route_table) return Relation{NetworkRelation::OneRouteTable, true, true};
  if (a.possible_table == b.possible_table)
    return Relation{NetworkRelation::OneRouteTable, false, true};
  if (a.network == b.network) return Relation{NetworkRelation::OneNetwork, true, true};
  if (a.project_known && b.project_known) return std::nullopt;
  return Relation{scope.if_same, false, false};
}

}  // namespace

std::vector<PairGroup> search_quadratic(std::span<const RangeEntry> entries,
                                        const SearchScope& scope) {
  using Key = std::tuple<std::string_view, Severity, bool, Role, Role>;
  std::map<Key, PairGroup> groups;
  std::map<Key, std::set<std::uint32_t>> owners;
  for (std::uint32_t i = 0; i < entries.size(); ++i)
    for (std::uint32_t j = i + 1; j < entries.size(); ++j) {
      const RangeEntry& a = entries[i];
      const RangeEntry& b = entries[j];
      if (a.owner == b.owner || !a.range->cidr.overlaps(b.range->cidr)) continue;
      const auto relation = relation_of(a.routing_scope, b.routing_scope, scope);
      if (!relation) continue;
      const auto impact =
          impact_of(side_of(*a.range), side_of(*b.range), *relation, scope.provider);
      if (!impact) continue;
      const auto [first, second] = std::minmax(a.range->role, b.range->role);
      const Key key(impact->rule->id, impact->severity, impact->sure, first, second);
      PairGroup& group = groups.try_emplace(key, PairGroup{*impact, first, second}).first->second;
      ++group.pairs;
      group.listed.push_back({i, j, *relation});
      for (const RangeEntry* entry : {&a, &b})
        if (entry->range->role != Role::Declared) owners[key].insert(entry->owner);
    }
  std::vector<PairGroup> found;
  for (auto& [key, group] : groups) {
    group.owners = owners[key].size();
    found.push_back(std::move(group));
  }
  return found;
}

}  // namespace overlane::overlap::testing
