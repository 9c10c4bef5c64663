#include "topologies/overlap/search/grouping.h"

#include <algorithm>
#include <map>

namespace overlane::overlap {
namespace {

std::vector<RelationRow> relations_of(const SearchScope& scope) {
  if (scope.is_connection)
    return {{{scope.connected, true, true}, Level::KnownProject, Level::Network},
            {{scope.connected, false, false}, Level::Scope, Level::Network, true}};
  return {{{NetworkRelation::OneRouteTable, true, true}, Level::RouteTable, std::nullopt},
          {{NetworkRelation::OneRouteTable, false, true}, Level::PossibleTable, Level::RouteTable},
          {{NetworkRelation::OneNetwork, true, true}, Level::Network, Level::PossibleTable},
          {{scope.if_same, false, false}, Level::Scope, Level::Network, true}};
}

}  // namespace

Grouping::Grouping(std::span<const RangeEntry> entries, const SearchScope& scope)
    : relations_(relations_of(scope)) {
  std::map<Side, std::uint32_t> numbers;
  for (const RangeEntry& entry : entries) {
    const auto [known, is_new] =
        numbers.emplace(side_of(*entry.range), static_cast<std::uint32_t>(sides_.size()));
    if (is_new) sides_.push_back(known->first);
    classes_.push_back(known->second);
  }
  for (const Side& a : sides_)
    for (const Side& b : sides_)
      for (const RelationRow& row : relations_)
        group_of_.push_back(find_group(a, b, row.relation, scope.provider));
}

std::uint32_t Grouping::find_group(const Side& a, const Side& b, Relation relation,
                                   effective::Provider provider) {
  const auto impact = impact_of(a, b, relation, provider);
  if (!impact) return kNoGroup;
  const auto [first, second] = std::minmax(a.role, b.role);
  const auto is_it = [&](const PairGroup& group) {
    return group.impact == *impact && group.first == first && group.second == second;
  };
  const auto known = std::ranges::find_if(groups_, is_it);
  if (known != groups_.end()) return static_cast<std::uint32_t>(known - groups_.begin());
  groups_.push_back({*impact, first, second});
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

}  // namespace overlane::overlap
