#include "topologies/overlap/remedy/plan.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/inventory/routing_scope.h"
#include "topologies/overlap/pairs/impact.h"
#include "topologies/overlap/remedy/free_ranges.h"
#include "topologies/ranges/disjoint_sets.h"
#include "topologies/ranges/sorting.h"
#include "topologies/ranges/vertex_cover.h"

namespace overlane::overlap {

namespace {

/// Maximum number of pairs per group: all pairs of 600 shoots fit.
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
      add_self_overlaps(inventory.shoots[i], i, reserved, scope.min_severity, conflicts);
  for (const ComparisonScope& comparison_scope : comparison_scopes)
    if (counts(comparison_scope.key))
      add_scope(inventory, comparison_scope, takes_part, scope.min_severity, conflicts);
  ranges::sort_unique(conflicts.pairs);
  ranges::sort_unique(conflicts.alone);
  ranges::sort_unique(conflicts.involved);
  return conflicts;
}

namespace {

/// The shoots to change; both members are indexed like Inventory::shoots.
struct Choice {
  std::vector<bool> shoots;
  std::vector<bool> exact;  ///< True if no smaller set exists; false if that is not known.
};

constexpr std::size_t kMaxNamed = 5;

/// Sets the changes of each step, and the owners that it is in conflict with.
void add_changes(const Conflicts& conflicts, std::vector<PlanStep>& steps) {
  std::map<std::uint32_t, PlanStep*> by_shoot;
  for (PlanStep& step : steps)
    by_shoot.emplace(step.shoot, &step);
  std::set<std::pair<std::uint32_t, std::string_view>> counted;
  for (const Conflicts::Involved& involved : conflicts.involved) {
    const auto found = by_shoot.find(involved.shoot);
    if (found == by_shoot.end()) continue;
    PlanStep& step = *found->second;
    const auto is_known = [&](const Change& change) {
      return change.role == involved.role && change.from == involved.cidr;
    };
    if (std::ranges::none_of(step.changes, is_known))
      step.changes.push_back({involved.role, involved.cidr, {}});
    if (!counted.emplace(involved.shoot, involved.other).second) continue;
    if (++step.conflicts <= kMaxNamed) step.because.push_back(involved.other);
  }
}

constexpr std::size_t kExactUpTo = 20;
/// Number of shoots per batch: small enough to list all their conflicts with each other.
constexpr std::size_t kBatch = 500;

/// Shoots that are in conflict, directly or indirectly.
struct ConflictPart {
  std::vector<std::uint32_t> shoots;  ///< Ascending.
  ranges::ConflictGraph graph;
};

std::vector<ConflictPart> parts_of(std::size_t shoots, const Conflicts& conflicts) {
  ranges::DisjointSets joined(shoots);
  std::vector<bool> is_in(shoots, false);
  for (const auto& [a, b] : conflicts.pairs) {
    joined.join(a, b);
    is_in[a] = is_in[b] = true;
  }
  for (const std::uint32_t shoot : conflicts.alone)
    is_in[shoot] = true;
  std::vector<ConflictPart> parts;
  std::vector<std::uint32_t> part(shoots);    // By the first shoot of each part: index of the part.
  std::vector<std::uint32_t> number(shoots);  // By shoot: its index in the part.
  for (std::uint32_t i = 0; i < shoots; ++i) {
    if (!is_in[i]) continue;
    const std::uint32_t first = joined.find(i);
    if (first == i) {
      part[i] = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back();
    }
    ConflictPart& own = parts[part[first]];
    number[i] = static_cast<std::uint32_t>(own.shoots.size());
    own.shoots.push_back(i);
    ++own.graph.vertices;
    own.graph.forced.push_back(false);
  }
  for (const auto& [a, b] : conflicts.pairs)
    parts[part[joined.find(a)]].graph.edges.push_back({number[a], number[b]});
  for (const std::uint32_t shoot : conflicts.alone)
    parts[part[joined.find(shoot)]].graph.forced[number[shoot]] = true;
  return parts;
}

class Chooser {
 public:
  Chooser(const Comparison& comparison, const ConflictScope& scope)
      : comparison_(comparison),
        shoots_(comparison.inventory.shoots),
        scope_(scope),
        chosen_(shoots_.size(), false),
        exact_(shoots_.size(), true) {}

  Choice choose() {
    std::vector<bool> created;
    for (const Shoot& shoot : shoots_)
      created.push_back(shoot.stage == effective::Stage::Live);
    choose_among(created);
    // The remaining conflicts involve manifests: change those.
    choose_among(std::vector<bool>(created.size(), true), created);
    if (!is_whole_) {
      give_back();
      exact_.assign(exact_.size(), false);
    }
    return {std::move(chosen_), std::move(exact_)};
  }

 private:
  /// Chooses shoots until no two of the others are in conflict. Prefers not to choose `first`.
  void choose_among(std::vector<bool> takes_part, const std::vector<bool>& first = {}) {
    const auto is_first = [&](std::uint32_t shoot) { return !first.empty() && first[shoot]; };
    while (true) {
      for (std::size_t i = 0; i < chosen_.size(); ++i)
        takes_part[i] = takes_part[i] && !chosen_[i];
      Conflicts left = find(takes_part);
      if (left.pairs.empty() && left.alone.empty()) return;
      is_whole_ = is_whole_ && left.complete;
      for (const auto& [a, b] : left.pairs)
        if (is_first(a) != is_first(b)) left.alone.push_back(is_first(a) ? b : a);
      cover(left);
    }
  }

  std::vector<bool> others() const {
    std::vector<bool> others = chosen_;
    others.flip();
    return others;
  }

  Conflicts find(const std::vector<bool>& takes_part) const {
    return find_conflicts(comparison_, takes_part, scope_);
  }

  /// Chooses shoots so that none of these conflicts remains.
  void cover(const Conflicts& conflicts) {
    for (ConflictPart& part : parts_of(chosen_.size(), conflicts)) {
      for (const std::uint32_t shoot : part.shoots)
        part.graph.weights.push_back(static_cast<std::uint64_t>(nodes_of(shoots_[shoot])));
      const ranges::Cover cover = ranges::smallest_cover(part.graph, kExactUpTo);
      for (const std::uint32_t vertex : cover.vertices) {
        chosen_[part.shoots[vertex]] = true;
        exact_[part.shoots[vertex]] = cover.exact;
      }
    }
  }

  /// Takes chosen shoots back if later choices have resolved their conflicts. Checks them in
  /// batches.
  void give_back() {
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t i = 0; i < chosen_.size(); ++i)
      if (chosen_[i]) chosen.push_back(i);
    for (std::size_t at = 0, size = kBatch; at < chosen.size();) {
      size = std::min(size, chosen.size() - at);
      if (give_back(std::span(chosen).subspan(at, size)) || size == 1) {
        at += size;
        size = kBatch;
      } else {
        size /= 2;
      }
    }
  }

  /// Takes shoots of one batch back. Returns false if there are too many conflicts to list.
  bool give_back(std::span<const std::uint32_t> batch) {
    std::vector<bool> takes_part = others();
    for (const std::uint32_t shoot : batch)
      takes_part[shoot] = true;
    Conflicts conflicts = find(takes_part);
    if (!conflicts.complete) return false;
    for (const std::uint32_t shoot : batch)
      chosen_[shoot] = false;
    // A shoot that is in conflict with an unchosen shoot remains chosen.
    const auto stays = [&](std::uint32_t shoot) {
      return !std::ranges::binary_search(batch, shoot);
    };
    std::vector<bool> goes(chosen_.size(), false);
    for (const std::uint32_t shoot : conflicts.alone)
      goes[shoot] = true;
    for (const auto& [a, b] : conflicts.pairs)
      if (stays(a) || stays(b)) goes[stays(a) ? b : a] = true;
    std::erase_if(conflicts.pairs,
                  [&](const auto& pair) { return goes[pair.first] || goes[pair.second]; });
    conflicts.alone.clear();
    cover(conflicts);
    for (const std::uint32_t shoot : batch)
      chosen_[shoot] = chosen_[shoot] || goes[shoot];
    return true;
  }

  const Comparison& comparison_;
  const std::vector<Shoot>& shoots_;
  const ConflictScope& scope_;
  std::vector<bool> chosen_;
  std::vector<bool> exact_;
  bool is_whole_ = true;  ///< All conflicts were listed.
};

Choice choose_shoots(const Comparison& comparison, const ConflictScope& scope) {
  return Chooser(comparison, scope).choose();
}

/// The domains that each connection joins, ascending.
std::vector<std::vector<std::uint32_t>> joined_domains(const RoutingScopes& routing_scopes) {
  std::vector<std::vector<std::uint32_t>> all;
  for (const JoinedNetworks& joined : routing_scopes.connections) {
    std::vector<std::uint32_t>& domains = all.emplace_back();
    for (const std::uint32_t shoot : joined.shoots)
      domains.push_back(routing_scopes.shoots[shoot].domain);
    ranges::sort_unique(domains);
  }
  return all;
}

/// Changes that need ranges of one domain and length.
using Alike = std::map<std::pair<std::uint32_t, std::uint8_t>, std::vector<Change*>>;

/// Assigns ranges that are distinct within connected networks, as long as some are free.
class NewRanges {
 public:
  NewRanges(const Inventory& inventory, const RoutingScopes& routing_scopes)
      : inventory_(inventory),
        routing_scopes_(routing_scopes),
        joined_(joined_domains(routing_scopes)) {}

  void give(const Alike& alike) {
    for (const auto& [key, changes] : alike)
      give(key.first, key.second, changes);
  }

 private:
  void give(std::uint32_t domain, std::uint8_t length, const std::vector<Change*>& changes) {
    FreeRanges free(inventory_, routing_scopes_, domain);
    const auto take_those_of = [&](std::uint32_t other) {
      for (const IpPrefix& range : taken_[other])
        free.take(range);
    };
    take_those_of(domain);
    for (const std::vector<std::uint32_t>& domains : joined_)
      if (std::ranges::binary_search(domains, domain))
        std::ranges::for_each(domains, take_those_of);
    const auto ranges = free.pods({.shoots = changes.size(), .length = length});
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      changes[i]->to = ranges[i];
      taken_[domain].push_back(ranges[i]);
    }
  }

  const Inventory& inventory_;
  const RoutingScopes& routing_scopes_;
  std::vector<std::vector<std::uint32_t>> joined_;
  std::map<std::uint32_t, std::vector<IpPrefix>> taken_;  ///< Assigned ranges, by domain.
};

void propose_ranges(const Inventory& inventory, const RoutingScopes& routing_scopes,
                    std::vector<PlanStep>& steps) {
  constexpr std::int64_t kFewestNodes =
      256;  // A /16 holds so many; free_ranges.h proposes one, too.
  Alike as_large;
  for (PlanStep& step : steps)
    for (Change& change : step.changes)
      if (change.from.is_ipv4() && (change.role == Role::Pods || change.role == Role::Services))
        as_large[{routing_scopes.shoots[step.shoot].domain, change.from.length()}].push_back(
            &change);
  NewRanges ranges(inventory, routing_scopes);
  ranges.give(as_large);
  Alike smaller;
  for (PlanStep& step : steps)
    for (Change& change : step.changes) {
      if (change.to || change.role != Role::Pods || !change.from.is_ipv4()) continue;
      const Shoot& shoot = inventory.shoots[step.shoot];
      const auto length =
          length_for(std::max(shoot.nodes.maximum, kFewestNodes), shoot.node_masks[0]);
      if (length && *length > change.from.length())
        smaller[{routing_scopes.shoots[step.shoot].domain, *length}].push_back(&change);
    }
  ranges.give(smaller);
}

}  // namespace

std::vector<PlanStep> plan(const Comparison& comparison, const ConflictScope& scope) {
  const Inventory& inventory = comparison.inventory;
  const RoutingScopes& routing_scopes = comparison.routing_scopes;
  const Choice choice = choose_shoots(comparison, scope);
  std::vector<PlanStep> steps;
  for (std::uint32_t i = 0; i < inventory.shoots.size(); ++i)
    if (choice.shoots[i])
      steps.push_back(
          {.shoot = i,
           .name = inventory.shoots[i].name(),
           .routing_domain = routing_scopes.domains[routing_scopes.shoots[i].domain].key,
           .created = inventory.shoots[i].stage == effective::Stage::Live,
           .place = inventory.shoots[i].place,
           .nodes = nodes_of(inventory.shoots[i]),
           .exact = choice.exact[i]});
  const std::vector<bool> all(inventory.shoots.size(), true);
  add_changes(find_conflicts(comparison, all, scope), steps);
  propose_ranges(inventory, routing_scopes, steps);
  std::ranges::stable_sort(steps, {}, [](const PlanStep& step) {
    return std::pair(step.created, std::string_view(step.routing_domain));
  });
  return steps;
}

}  // namespace overlane::overlap
