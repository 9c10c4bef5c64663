#include "topologies/overlap/report/order.h"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "topologies/overlap/inventory/sort_by.h"
#include "topologies/overlap/report/group_index.h"

namespace overlane::overlap {
namespace {

/// Less is worse.
using Gravity = std::pair<int, Urgency>;

Gravity gravity(const Impact& impact, Urgency urgency) {
  return {-static_cast<int>(impact.severity), urgency};
}

/// The order of domains.
struct Rank {
  Gravity worst;
  bool is_on_one_machine = false;  ///< Not production.
  bool is_by_itself = false;
  /// Of later conflicts, the fewest node creations until one starts; nothing: now.
  std::optional<std::uint64_t> creations;
  std::int64_t nodes = 0;  ///< Of the shoots of the worst overlaps; negative: most first.

  auto operator<=>(const Rank&) const = default;
};

/// The ranks of all domains with groups.
std::map<std::string, Rank> rank_domains(const OverlapReport& report,
                                         const std::vector<std::string>& domains) {
  std::map<std::string, Rank> ranks;
  const auto take_in = [&](const std::string& domain, Gravity its) {
    const auto found = ranks.try_emplace(domain, Rank{.worst = its}).first;
    Rank& rank = found->second;
    rank.worst = std::min(rank.worst, its);
    rank.is_on_one_machine = domain.starts_with("local/");
    rank.is_by_itself = domain.empty();
  };
  for (const Group& group : report.groups)
    take_in(group.routing_domain, gravity(group.impact, group.urgency));
  for (std::size_t i = 0; i < domains.size(); ++i)
    take_in(domains[i], gravity(report.overlaps[i].impact, report.overlaps[i].urgency));
  std::set<std::pair<const Rank*, std::string_view>> counted;
  for (std::size_t i = 0; i < domains.size(); ++i) {
    const Overlap& overlap = report.overlaps[i];
    Rank& rank = ranks.at(domains[i]);
    if (gravity(overlap.impact, overlap.urgency) != rank.worst) continue;
    if (overlap.urgency == Urgency::Later) {
      const std::uint64_t creations = overlap.creations_until_impact();
      rank.creations = std::min(rank.creations.value_or(creations), creations);
    }
    for (const End* end : {&overlap.a, &overlap.b})
      if (counted.emplace(&rank, end->owner).second) rank.nodes -= end->nodes;
  }
  return ranks;
}

/// The position of each domain.
std::map<std::string_view, std::size_t> places(const std::map<std::string, Rank>& ranks) {
  std::vector<std::pair<Rank, std::string_view>> sorted;
  for (const auto& [domain, rank] : ranks)
    sorted.emplace_back(rank, domain);
  std::ranges::sort(sorted);
  std::map<std::string_view, std::size_t> places;
  for (const auto& [rank, domain] : sorted)
    places.emplace(domain, places.size());
  return places;
}

/// Changes of manifests first, then steps that resolve the worst overlaps; `overlaps` are sorted.
void sort_plan(const std::vector<Overlap>& overlaps, std::vector<PlanStep>& plan) {
  std::map<std::string_view, std::size_t> worst;  // Of shoots.
  for (std::size_t i = 0; i < overlaps.size(); ++i)
    for (const End* end : {&overlaps[i].a, &overlaps[i].b})
      worst.emplace(end->shoot, i);
  std::ranges::stable_sort(plan, {}, [&](const PlanStep& step) {
    const auto found = worst.find(step.name);
    return std::pair(step.created, found == worst.end() ? overlaps.size() : found->second);
  });
}

}  // namespace

void put_in_order(OverlapReport& report) {
  std::vector<std::string> domains;  // Of the groups of overlaps.
  const GroupIndex index(report.groups);
  for (const Overlap& overlap : report.overlaps) {
    const auto group = index.of(overlap);
    domains.push_back(group ? report.groups[*group].routing_domain : overlap.routing_domain);
  }
  const std::map<std::string, Rank> ranks = rank_domains(report, domains);
  const auto place_of = places(ranks);
  std::vector<std::size_t> of_overlaps;
  for (const std::string& domain : domains)
    of_overlaps.push_back(place_of.at(domain));
  std::vector<std::size_t> of_groups;
  for (const Group& group : report.groups)
    of_groups.push_back(place_of.at(group.routing_domain));
  sort_by(report.overlaps, [&](std::size_t i) {
    const Overlap& overlap = report.overlaps[i];
    return std::tuple(gravity(overlap.impact, overlap.urgency), of_overlaps[i], overlap.impact.rule,
                      std::string_view(overlap.kind), !overlap.impact.sure,
                      overlap.creations_until_conflict, -(overlap.a.nodes + overlap.b.nodes),
                      std::string_view(overlap.a.owner), std::string_view(overlap.b.owner),
                      overlap.a.cidr, overlap.b.cidr);
  });
  sort_by(report.groups, [&](std::size_t i) {
    const Group& group = report.groups[i];
    return std::tuple(of_groups[i], gravity(group.impact, group.urgency), group.impact.rule,
                      std::string_view(group.kind), !group.impact.sure);
  });
  if (report.plan) sort_plan(report.overlaps, *report.plan);
}

}  // namespace overlane::overlap
