#include "topologies/overlap/report/find.h"

#include <algorithm>
#include <compare>
#include <future>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/inventory/routing_scope.h"
#include "topologies/overlap/pairs/impact.h"
#include "topologies/overlap/pairs/search.h"
#include "topologies/overlap/report/report.h"
#include "topologies/ranges/sorting.h"
#include "topologies/ranges/sweep.h"

namespace overlane::overlap {

namespace {

/// Whether the conflict starts only when a shoot wakes up: a hibernated shoot has subnets, but no
/// nodes.
bool waits_for_waking(const Overlap& overlap) {
  const std::string_view rule = overlap.impact.rule->id;
  const bool is_refused = rule == "overlap-routes-over-hosts" &&
                          overlap.creations_until_conflict == 0u &&
                          provider::profile_of(overlap.provider).fabric.protects_subnets;
  return (overlap.a.waking_nodes || overlap.b.waking_nodes) && !is_refused &&
         rule != "overlap-hosts-collide" && rule != "overlap-hosts-beyond-connection";
}

class Finder {
 public:
  Finder(const Comparison& comparison, const FindOptions& options)
      : inventory_(comparison.inventory),
        routing_scopes_(comparison.routing_scopes),
        comparison_scopes_(comparison.comparison_scopes),
        options_(options) {}

  OverlapReport find() {
    report_.shoots = inventory_.shoots.size();
    report_.domains = routing_scopes_.domains.size();
    const auto policy = options_.threads == 1 ? std::launch::deferred : std::launch::async;
    auto counted = std::async(policy, [this] {
      return std::pair(count_cidrs(), route_budgets(inventory_, routing_scopes_));
    });
    report_.min_severity = options_.min_severity;
    report_.findings = inventory_.findings;
    report_.findings.insert(report_.findings.end(), routing_scopes_.findings.begin(),
                            routing_scopes_.findings.end());
    compare_within_shoots();
    for (const ComparisonScope& comparison_scope : comparison_scopes_)
      if (is_asked_for(comparison_scope.key)) search_scope(comparison_scope);
    report_.uncertainties = uncertainties(inventory_, routing_scopes_);
    std::tie(report_.cidrs, report_.budgets) = counted.get();
    put_in_order(report_);
    return std::move(report_);
  }

 private:
  bool is_asked_for(const std::string& domain) const {
    return options_.domain.empty() || options_.domain == domain;
  }

  std::uint64_t count_cidrs() const {
    std::size_t most = 0;
    for (const Shoot& shoot : inventory_.shoots)
      most += shoot.ranges.size();
    std::vector<ranges::IndexedRange> cidrs;
    cidrs.reserve(most);
    for (const Shoot& shoot : inventory_.shoots)
      for (const Range& range : shoot.ranges)
        cidrs.push_back({range.cidr});
    ranges::sort(cidrs);
    return static_cast<std::uint64_t>(std::ranges::unique(cidrs).begin() - cidrs.begin());
  }

  void compare_within_shoots() {
    const std::vector<Reserved> reserved = reserved_ranges(inventory_);
    for (std::size_t i = 0; i < inventory_.shoots.size(); ++i) {
      const Shoot& shoot = inventory_.shoots[i];
      const std::string& domain = routing_scopes_.domains[routing_scopes_.shoots[i].domain].key;
      if (!is_asked_for(domain)) continue;
      std::vector<std::size_t> groups;
      compare_own_ranges(shoot, reserved, [&](const SelfOverlap& pair) {
        const std::size_t g = self_group(pair);
        Group& group = report_.groups[g];
        ++group.pairs;
        if (std::ranges::find(groups, g) == groups.end()) {
          groups.push_back(g);
          ++group.shoots;
        }
        const bool is_full = group.listed >= options_.most_listed && !shoot.asked_about;
        if (pair.impact.severity < options_.min_severity || is_full) return;
        ++group.listed;
        list(shoot, pair, domain, group);
      });
    }
  }

  std::size_t self_group(const SelfOverlap& pair) {
    const std::string kind = kind_of(pair.own.role, pair.other.role);
    const auto is_it = [&](const Group& group) {
      return group.impact.rule == pair.impact.rule && group.kind == kind &&
             group.impact.severity == pair.impact.severity;
    };
    const auto known = std::ranges::find_if(report_.groups, is_it);
    if (known != report_.groups.end())
      return static_cast<std::size_t>(known - report_.groups.begin());
    report_.groups.push_back({.routing_domain = "", .impact = pair.impact, .kind = kind});
    return report_.groups.size() - 1;
  }

  void list(const Shoot& shoot, const SelfOverlap& pair, const std::string& domain, Group& group) {
    Overlap overlap{.impact = pair.impact,
                    .kind = kind_of(pair.own.role, pair.other.role),
                    .routing_domain = domain,
                    .a = end_of(&shoot, pair.own, shoot.name()),
                    .b = pair.is_own ? end_of(&shoot, pair.other, shoot.name())
                                     : end_of(nullptr, pair.other, std::string(pair.owner))};
    overlap.intersection = std::max(pair.own.cidr, pair.other.cidr, shorter_first);
    overlap.consequence = consequence(shoot, pair);
    keep(std::move(overlap), shoot.provider, group);
  }

  void keep(Overlap overlap, effective::Provider provider, Group& group) {
    overlap.provider = provider;
    overlap.urgency = urgency_of(overlap);
    group.urgency = std::min(group.urgency, overlap.urgency);
    report_.overlaps.push_back(std::move(overlap));
  }

  static bool shorter_first(const IpPrefix& a, const IpPrefix& b) { return a.bits() < b.bits(); }

  static End end_of(const Shoot* shoot, const Range& range, std::string owner) {
    End end{.owner = std::move(owner),
            .role = range.role,
            .cidr = range.cidr,
            .dataplane_mode = range.dataplane_mode,
            .routes_missing = routes_missing(range),
            .assumed = range.assumed,
            .place = range.place,
            .path = range.path.str()};
    if (shoot == nullptr) return end;
    end.shoot = end.owner;
    end.object = shoot->object;
    end.candidate = shoot->candidate;
    end.created = shoot->stage == effective::Stage::Live;
    if (end.created) end.nodes = nodes_of(*shoot);
    if (end.created && shoot->hibernated) end.waking_nodes = shoot->nodes.waking;
    return end;
  }

  static End end_of(const ComparisonScope& comparison_scope, const RangeEntry& entry) {
    const ComparedOwner& owner = comparison_scope.owner_of_entry(entry);
    return end_of(owner.shoot, *entry.range, owner.owner_of(*entry.range));
  }

  static RangeOwner owner_of(const End& end) {
    return {end.owner, end.role, end.dataplane_mode, end.routes_missing};
  }

  void search_scope(const ComparisonScope& comparison_scope) {
    for (const PairGroup& found : search(comparison_scope.entries, comparison_scope.scope,
                                         options_.most_listed, options_.min_severity)) {
      report_.groups.push_back({.routing_domain = comparison_scope.key,
                                .impact = found.impact,
                                .kind = kind_of(found.first, found.second),
                                .pairs = found.pairs,
                                .shoots = found.owners,
                                .listed = found.listed.size()});
      for (const RangePair& pair : found.listed)
        list(comparison_scope, found, pair, report_.groups.back());
    }
  }

  void list(const ComparisonScope& comparison_scope, const PairGroup& found, const RangePair& pair,
            Group& group) {
    Overlap overlap{.impact = found.impact,
                    .kind = kind_of(found.first, found.second),
                    .routing_domain = comparison_scope.key,
                    .network_relation = pair.relation.network_relation,
                    .a = end_of(comparison_scope, comparison_scope.entries[pair.a]),
                    .b = end_of(comparison_scope, comparison_scope.entries[pair.b])};
    overlap.intersection = std::max(overlap.a.cidr, overlap.b.cidr, shorter_first);
    const auto order = [](const End& end) {
      return std::tuple(end.shoot.empty(), std::string_view(end.shoot), end.role, end.cidr);
    };
    if (order(overlap.b) < order(overlap.a)) std::swap(overlap.a, overlap.b);
    add_time_to_conflict(comparison_scope, comparison_scope.entries[pair.a],
                         comparison_scope.entries[pair.b], overlap);
    overlap.consequence = consequence(found.impact, pair.relation, comparison_scope.scope.provider,
                                      owner_of(overlap.a), owner_of(overlap.b));
    keep(std::move(overlap), comparison_scope.scope.provider, group);
  }

  /// Sets, for routed pods, when the first pod CIDR of a node overlaps the other range.
  static void add_time_to_conflict(const ComparisonScope& comparison_scope, const RangeEntry& a,
                                   const RangeEntry& b, Overlap& overlap) {
    const auto shoot_of = [&](const RangeEntry& entry) -> const Shoot& {
      return *comparison_scope.owner_of_entry(entry).shoot;
    };
    const auto in_routes = [](const RangeEntry& entry) {
      return has_routes(entry.range->dataplane_mode);
    };
    ranges::UntilConflict until;
    if (in_routes(a) && in_routes(b))
      until = until_conflict(shoot_of(a), *a.range, shoot_of(b), *b.range);
    else if (in_routes(a) && is_infrastructure(b.range->role))
      until = until_conflict(shoot_of(a), *a.range, b.range->cidr);
    else if (in_routes(b) && is_infrastructure(a.range->role))
      until = until_conflict(shoot_of(b), *b.range, a.range->cidr);
    overlap.nodes_until_conflict = until.nodes;
    overlap.creations_until_conflict = until.creations;
    for (const RangeEntry* entry : {&a, &b})
      if (in_routes(*entry)) overlap.growth += growth_of(shoot_of(*entry));
  }

  static std::uint64_t growth_of(const Shoot& shoot) {
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(shoot.nodes.maximum - nodes_of(shoot), 0));
  }

  static Urgency urgency_of(const Overlap& overlap) {
    if (!overlap.a.created || !overlap.b.created) return Urgency::NotCreated;
    if (waits_for_waking(overlap)) return Urgency::Later;
    const bool conflicts_later = overlap.creations_until_conflict.value_or(0) > 0;
    return !conflicts_later || overlap.loses_routes() ? Urgency::Now : Urgency::Later;
  }

  const Inventory& inventory_;
  const RoutingScopes& routing_scopes_;
  const std::vector<ComparisonScope>& comparison_scopes_;
  const FindOptions& options_;
  OverlapReport report_;
};

}  // namespace

OverlapReport find_overlaps(const Comparison& comparison, const FindOptions& options) {
  return Finder(comparison, options).find();
}

namespace {

/// Order of overlaps by severity, then urgency; the lowest is the most severe.
using Gravity = std::pair<int, Urgency>;

Gravity gravity(const Impact& impact, Urgency urgency) {
  return {-static_cast<int>(impact.severity), urgency};
}

/// The sort key of a domain; the lowest comes first.
struct Rank {
  Gravity worst;
  bool is_on_one_machine = false;  ///< Provider local: not production.
  bool is_by_itself = false;       ///< The domain stands for overlaps within single shoots.
  /// The fewest node creations until a later conflict starts; empty if one is in effect now.
  std::optional<std::uint64_t> creations;
  /// Nodes of the shoots in the worst overlaps; negative, so that the largest number comes first.
  std::int64_t nodes = 0;

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

/// The position of each domain in the report.
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

/// Sorts a plan: manifests first, then steps that resolve the worst overlaps. `overlaps` are
/// sorted.
void sort_plan(const std::vector<Overlap>& overlaps, std::vector<PlanStep>& plan) {
  std::map<std::string_view, std::size_t> worst;  // Index of each shoot's worst overlap.
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
  std::vector<std::string> domains;  // Domains of the overlaps' groups.
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
  ranges::sort_by(report.overlaps, [&](std::size_t i) {
    const Overlap& overlap = report.overlaps[i];
    return std::tuple(gravity(overlap.impact, overlap.urgency), of_overlaps[i], overlap.impact.rule,
                      std::string_view(overlap.kind), !overlap.impact.sure,
                      overlap.creations_until_conflict, -(overlap.a.nodes + overlap.b.nodes),
                      std::string_view(overlap.a.owner), std::string_view(overlap.b.owner),
                      overlap.a.cidr, overlap.b.cidr);
  });
  ranges::sort_by(report.groups, [&](std::size_t i) {
    const Group& group = report.groups[i];
    return std::tuple(of_groups[i], gravity(group.impact, group.urgency), group.impact.rule,
                      std::string_view(group.kind), !group.impact.sure);
  });
  if (report.plan) sort_plan(report.overlaps, *report.plan);
}

}  // namespace overlane::overlap
