#include "topologies/overlap/testing/quadratic.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace overlane::overlap::testing {
namespace {

std::optional<Relation> relation_of(const Position& a, const Position& b,
                                    const SearchScope& scope) {
  if (scope.is_connection) {
    if (a.network == b.network) return std::nullopt;
    const bool are_known = a.project_known && b.project_known;
    return Relation{scope.connected, are_known, are_known};
  }
  if (a.list == b.list) return Relation{Meeting::OneRouteList, true, true};
  if (a.tables == b.tables) return Relation{Meeting::OneRouteList, false, true};
  if (a.network == b.network) return Relation{Meeting::OneNetwork, true, true};
  if (a.project_known && b.project_known) return std::nullopt;
  return Relation{scope.if_same, false, false};
}

}  // namespace

std::vector<PairGroup> search_quadratic(std::span<const Claim> claims, const SearchScope& scope) {
  using Key = std::tuple<std::string_view, Severity, bool, Role, Role>;
  std::map<Key, PairGroup> groups;
  std::map<Key, std::set<std::uint32_t>> parties;
  for (std::uint32_t i = 0; i < claims.size(); ++i)
    for (std::uint32_t j = i + 1; j < claims.size(); ++j) {
      const Claim& a = claims[i];
      const Claim& b = claims[j];
      if (a.party == b.party || !a.range->cidr.overlaps(b.range->cidr)) continue;
      const auto relation = relation_of(a.position, b.position, scope);
      if (!relation) continue;
      const auto meaning =
          meaning_of(side_of(*a.range), side_of(*b.range), *relation, scope.provider);
      if (!meaning) continue;
      const auto [first, second] = std::minmax(a.range->role, b.range->role);
      const Key key(meaning->rule->id, meaning->severity, meaning->sure, first, second);
      PairGroup& group = groups.try_emplace(key, PairGroup{*meaning, first, second}).first->second;
      ++group.pairs;
      group.listed.push_back({i, j, *relation});
      for (const Claim* claim : {&a, &b})
        if (claim->range->role != Role::Declared) parties[key].insert(claim->party);
    }
  std::vector<PairGroup> found;
  for (auto& [key, group] : groups) {
    group.parties = parties[key].size();
    found.push_back(std::move(group));
  }
  return found;
}

}  // namespace overlane::overlap::testing
