#include "topologies/overlap/pairs/search.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "topologies/ranges/sweep.h"

namespace overlane::overlap {

namespace {

/// Things that two entries may share, from the narrowest to the widest.
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

  /// The entry's group at this level; kAlone if it shares the level with no other owner.
  std::uint32_t of(std::uint32_t entry, Level level) const {
    return numbers_[static_cast<std::size_t>(level)][entry];
  }
  std::size_t size(Level level) const { return sizes_[static_cast<std::size_t>(level)]; }
  /// For each level, 1 if two entries share it and 0 otherwise.
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
  /// Number of entries of `other_class` that share each level with `entry`.
  Counts with(std::uint32_t entry, std::uint32_t other_class) const;

 private:
  std::size_t index(std::uint32_t entry, std::uint32_t its_class, Level level) const {
    return its_class * sharing_.size(level) + sharing_.of(entry, level);
  }

  const Sharing& sharing_;
  std::array<std::vector<std::uint32_t>, kLevels.size()> counts_;
};

/// A relation of a search. Its pairs share the level `with` but not `without`.
struct RelationRow {
  Relation relation;
  Level with = Level::Scope;
  std::optional<Level> without;
  /// Whether entries with different known projects are in different networks.
  bool projects_count = false;

  /// Number of pairs, from the number of entries that share each level.
  std::int64_t pairs(const Counts& shared) const {
    std::int64_t pairs = at(shared, with);
    if (without) pairs -= at(shared, *without);
    if (projects_count && at(shared, Level::KnownProject) > 0)
      pairs -= at(shared, Level::KnownProject) - at(shared, Level::Network);
    return pairs;
  }
};

/// Determines the group of a pair from the classes of its ranges and its relation.
class Grouping {
 public:
  Grouping(std::span<const RangeEntry> entries, const SearchScope& scope);

  static constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

  /// Number of classes. Ranges of one class have the same impact on all others.
  std::size_t classes() const { return sides_.size(); }
  std::uint32_t class_of(std::uint32_t entry) const { return classes_[entry]; }
  const std::vector<RelationRow>& relations() const { return relations_; }
  /// An index of `groups()`, or kNoGroup if such pairs have no impact.
  std::uint32_t of(std::uint32_t a_class, std::uint32_t b_class, std::size_t relation) const {
    return group_of_[(a_class * sides_.size() + b_class) * relations_.size() + relation];
  }
  /// All possible groups, without pairs. Groups differ in impact and roles.
  const std::vector<PairGroup>& groups() const { return groups_; }

 private:
  std::uint32_t find_group(const Side& a, const Side& b, Relation relation,
                           effective::Provider provider);

  std::vector<RelationRow> relations_;
  std::vector<Side> sides_;              ///< By class.
  std::vector<std::uint32_t> classes_;   ///< By entry.
  std::vector<std::uint32_t> group_of_;  ///< By two classes and a relation.
  std::vector<PairGroup> groups_;
};

/// For each entry, the first one of the same owner.
std::vector<std::uint32_t> owner_starts(std::span<const RangeEntry> entries) {
  std::vector<std::uint32_t> starts;
  for (std::uint32_t i = 0; i < entries.size(); ++i)
    starts.push_back(i == 0 || entries[i].owner != entries[i - 1].owner ? i : starts.back());
  return starts;
}

class Search {
 public:
  Search(std::span<const RangeEntry> entries, const SearchScope& scope, std::size_t most_listed,
         Severity least_listed)
      : entries_(entries),
        most_listed_(most_listed),
        least_listed_(least_listed),
        sharing_(entries),
        grouping_(entries, scope),
        owner_start_(owner_starts(entries)),
        groups_(grouping_.groups()),
        members_(groups_.size()),
        asked_(groups_.size()),
        unlisted_(groups_.size()),
        above_(sharing_, grouping_.classes()),
        entered_(sharing_, grouping_.classes()) {}

  std::vector<PairGroup> run() {
    std::vector<ranges::IndexedRange> sorted;
    sorted.reserve(entries_.size());
    for (std::uint32_t i = 0; i < entries_.size(); ++i)
      sorted.push_back({entries_[i].range->cidr, i});
    ranges::sort(sorted);
    ranges::sweep(
        std::span<const ranges::IndexedRange>(sorted),
        [&](const ranges::IndexedRange& one) { enter(one.id); },
        [&](const ranges::IndexedRange& one) { leave(one.id); });
    for (std::size_t g = 0; g < groups_.size(); ++g)
      groups_[g].listed.insert(groups_[g].listed.begin(), asked_[g].begin(), asked_[g].end());
    std::erase_if(groups_, [](const PairGroup& group) { return group.pairs == 0; });
    return std::move(groups_);
  }

 private:
  /// Calls visit(group, pairs) for the pairs of `entry` with the entries in `tally`; own(class,
  /// counts) subtracts the entries of its owner.
  template <typename Own, typename Visit>
  void for_pairs(std::uint32_t entry, const Tally& tally, const Own& own, Visit visit) {
    for (std::uint32_t other = 0; other < grouping_.classes(); ++other) {
      Counts shared = tally.with(entry, other);
      if (at(shared, Level::Scope) == 0) continue;
      own(other, shared);
      for (std::size_t r = 0; r < grouping_.relations().size(); ++r) {
        const std::uint32_t g = grouping_.of(grouping_.class_of(entry), other, r);
        if (g == Grouping::kNoGroup) continue;
        const std::int64_t pairs = grouping_.relations()[r].pairs(shared);
        if (pairs > 0) visit(g, static_cast<std::uint64_t>(pairs));
      }
    }
  }

  void enter(std::uint32_t entry) {
    const auto without_own = [&](std::uint32_t other, Counts& shared) {
      subtract_own(entry, other, shared, [&](std::uint32_t own) { return is_above(own, entry); });
    };
    for_pairs(entry, above_, without_own, [&](std::uint32_t g, std::uint64_t pairs) {
      groups_[g].pairs += pairs;
      add_member(g, entry);
      if (unlisted_[g] == 0) touched_.push_back(g);
      unlisted_[g] += pairs;
    });
    list_pairs(entry);
    for (const std::uint32_t g : touched_)
      unlisted_[g] = 0;
    touched_.clear();
    above_.add(entry, grouping_.class_of(entry), 1);
    entered_.add(entry, grouping_.class_of(entry), 1);
    open_.push_back(entry);
    if (entries_[entry].asked_about) open_asked_.push_back(entry);
    for (std::uint32_t other = 0; other < grouping_.classes(); ++other)
      before_.push_back(entered_.with(entry, other));
  }

  /// Counts pairs of `entry` with the entries inside it: all that were entered after it.
  void leave(std::uint32_t entry) {
    const std::size_t snapshot = before_.size() - grouping_.classes();
    const auto since = [&](std::uint32_t other, Counts& shared) {
      for (const Level level : kLevels)
        at(shared, level) -= at(before_[snapshot + other], level);
      subtract_own(entry, other, shared, [&](std::uint32_t own) { return is_above(entry, own); });
    };
    for_pairs(entry, entered_, since,
              [&](std::uint32_t g, std::uint64_t) { add_member(g, entry); });
    before_.resize(snapshot);
    open_.pop_back();
    if (entries_[entry].asked_about) open_asked_.pop_back();
    above_.add(entry, grouping_.class_of(entry), -1);
  }

  template <typename IsMeant>
  void subtract_own(std::uint32_t entry, std::uint32_t other, Counts& shared, IsMeant is_meant) {
    for (std::uint32_t own = owner_start_[entry];
         own < entries_.size() && entries_[own].owner == entries_[entry].owner; ++own) {
      if (own == entry || grouping_.class_of(own) != other || !is_meant(own)) continue;
      const Counts same = sharing_.between(entry, own);
      for (const Level level : kLevels)
        at(shared, level) -= at(same, level);
    }
  }

  /// Whether the sweep enters `a` before `b`, which lies inside `a`.
  bool is_above(std::uint32_t a, std::uint32_t b) const {
    const IpPrefix& outer = entries_[a].range->cidr;
    const IpPrefix& inner = entries_[b].range->cidr;
    return outer == inner ? a < b : outer.contains(inner);
  }

  void add_member(std::uint32_t g, std::uint32_t entry) {
    if (entries_[entry].range->role == Role::Declared) return;
    std::vector<bool>& members = members_[g];
    const std::uint32_t owner = owner_start_[entry];
    if (members.empty()) members.resize(entries_.size());
    groups_[g].owners += !members[owner];
    members[owner] = true;
  }

  bool wants_more(std::uint32_t g, const std::vector<RangePair>& listed) const {
    return groups_[g].impact.severity >= least_listed_ && listed.size() < most_listed_;
  }

  /// Lists pairs with the enclosing entries. Visits those only if a group has room for a pair, so
  /// that each visit lists at least one pair (except visits for entries that are asked about).
  void list_pairs(std::uint32_t entry) {
    const auto has_room = [&](const auto& list_of) {
      return std::ranges::any_of(
          touched_, [&](std::uint32_t g) { return unlisted_[g] > 0 && wants_more(g, list_of(g)); });
    };
    const auto asked = [&](std::uint32_t g) -> auto& {
      return asked_[g];
    };
    const auto others = [&](std::uint32_t g) -> auto& {
      return groups_[g].listed;
    };
    if (entries_[entry].asked_about) {
      if (has_room(asked)) list_pairs(entry, open_, asked);
      return;
    }
    if (!open_asked_.empty() && (has_room(asked) || has_room(others)))
      list_pairs(entry, open_asked_, asked);
    if (has_room(others)) list_pairs(entry, open_, others);
  }

  template <typename ListOf>
  void list_pairs(std::uint32_t entry, const std::vector<std::uint32_t>& open, ListOf list_of) {
    const bool are_others = &open == &open_ && !entries_[entry].asked_about;
    for (const std::uint32_t other : open) {
      if (entries_[other].owner == entries_[entry].owner) continue;
      if (are_others && entries_[other].asked_about) continue;
      const Counts shared = sharing_.between(entry, other);
      for (std::size_t r = 0; r < grouping_.relations().size(); ++r) {
        const std::uint32_t g =
            grouping_.of(grouping_.class_of(entry), grouping_.class_of(other), r);
        const RelationRow& row = grouping_.relations()[r];
        if (g == Grouping::kNoGroup || row.pairs(shared) <= 0) continue;
        --unlisted_[g];
        if (wants_more(g, list_of(g))) list_of(g).push_back({other, entry, row.relation});
      }
    }
  }

  std::span<const RangeEntry> entries_;
  std::size_t most_listed_;
  Severity least_listed_;
  Sharing sharing_;
  Grouping grouping_;
  std::vector<std::uint32_t> owner_start_;  ///< By entry: the first entry of its owner.
  std::vector<PairGroup> groups_;
  std::vector<std::vector<bool>> members_;     ///< By group: its owners, each by its first entry.
  std::vector<std::vector<RangePair>> asked_;  ///< By group: listed pairs that are asked about.
  /// By group: pairs of the current entry that are not listed yet.
  std::vector<std::uint64_t> unlisted_;
  Tally above_;    ///< Entries that the sweep has entered and not left.
  Tally entered_;  ///< Entries that the sweep has entered.
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> open_asked_;
  std::vector<std::uint32_t> touched_;  ///< Groups of the current entry's pairs.
  std::vector<Counts> before_;          ///< By open entry and class: `entered_` when the entry was
                                        ///< entered.
};

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

/// Numbers from 1 for keys with more than one owner, by entry; kAlone for others.
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

std::vector<RelationRow> relations_of(const SearchScope& scope) {
  if (scope.is_connection)
    return {{{scope.connected, true, true}, Level::KnownProject, Level::Network},
            {{scope.connected, false, false}, Level::Scope, Level::Network, true}};
  return {{{NetworkRelation::OneRouteTable, true, true}, Level::RouteTable, std::nullopt},
          {{NetworkRelation::OneRouteTable, false, true}, Level::PossibleTable, Level::RouteTable},
          {{NetworkRelation::OneNetwork, true, true}, Level::Network, Level::PossibleTable},
          {{scope.if_same, false, false}, Level::Scope, Level::Network, true}};
}

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

}  // namespace

std::vector<PairGroup> search(std::span<const RangeEntry> entries, const SearchScope& scope,
                              std::size_t most_listed, Severity least_listed) {
  return Search(entries, scope, most_listed, least_listed).run();
}

namespace {

void add_declared(const std::vector<domains::DeclaredRange>& declared, std::string_view fallback,
                  const RoutingScope& routing_scope, ComparisonScope& comparison_scope) {
  if (declared.empty()) return;
  ComparedOwner owner{.routing_scope = routing_scope};
  for (const domains::DeclaredRange& range : declared) {
    owner.ranges.push_back({.cidr = range.cidr, .role = Role::Declared, .place = range.place});
    owner.owners.emplace_back(range.purpose.empty() ? fallback : range.purpose);
  }
  comparison_scope.owners.push_back(std::move(owner));
}

void add_members(const std::vector<std::uint32_t>& shoots,
                 const std::vector<std::uint32_t>& networks, const Inventory& inventory,
                 const RoutingScopes& routing_scopes, ComparisonScope& comparison_scope) {
  for (const std::uint32_t i : shoots)
    comparison_scope.owners.push_back(
        {.routing_scope = routing_scopes.shoots[i], .shoot = &inventory.shoots[i]});
  if (!shoots.empty()) comparison_scope.scope.provider = inventory.shoots[shoots.front()].provider;
  for (const std::uint32_t i : networks) {
    const domains::DeclaredNetwork& network = inventory.declared.networks[i];
    add_declared(network.ranges, to_string(network.ref), routing_scopes.networks[i],
                 comparison_scope);
    add_declared(network.foreign_routes, "a route of " + to_string(network.ref),
                 routing_scopes.networks[i], comparison_scope);
  }
}

/// Adds the entries of all owners. They point into the owners, which must not move afterwards.
void add_entries(ComparisonScope& comparison_scope) {
  for (std::uint32_t p = 0; p < comparison_scope.owners.size(); ++p) {
    const ComparedOwner& owner = comparison_scope.owners[p];
    for (const Range& range : owner.shoot != nullptr ? owner.shoot->ranges : owner.ranges)
      comparison_scope.entries.push_back(
          {&range, owner.routing_scope, p, owner.shoot != nullptr && owner.shoot->asked_about});
  }
}

bool can_hold_pairs(const ComparisonScope& comparison_scope) {
  const auto is_shoot = [](const ComparedOwner& owner) { return owner.shoot != nullptr; };
  return comparison_scope.owners.size() > 1 &&
         std::ranges::any_of(comparison_scope.owners, is_shoot);
}

ComparisonScope scope_of(const Domain& domain, const Inventory& inventory,
                         const RoutingScopes& routing_scopes) {
  ComparisonScope comparison_scope;
  comparison_scope.key = domain.key;
  add_members(domain.shoots, domain.declared, inventory, routing_scopes, comparison_scope);
  const auto has_one_route_table = [&](std::uint32_t i) {
    return inventory.shoots[i].route_table == RouteTableScope::Network;
  };
  if (std::ranges::any_of(domain.shoots, has_one_route_table))
    comparison_scope.scope.if_same = NetworkRelation::OneRouteTable;
  return comparison_scope;
}

ComparisonScope scope_of(const domains::Connection& connection, const JoinedNetworks& joined,
                         const Inventory& inventory, const RoutingScopes& routing_scopes) {
  ComparisonScope comparison_scope;
  comparison_scope.key = "connection/" + connection.name;
  comparison_scope.scope.is_connection = true;
  if (connection.carries_pod_routes)
    comparison_scope.scope.connected = NetworkRelation::ConnectedForPods;
  add_members(joined.shoots, joined.declared, inventory, routing_scopes, comparison_scope);
  // Declared ranges of a connection belong to none of its networks.
  constexpr std::uint32_t kElsewhere = ~std::uint32_t{0};
  // If the connection joins one of several networks of one name, treat them as one that is not
  // certain.
  for (ComparedOwner& owner : comparison_scope.owners) {
    RoutingScope& routing_scope = owner.routing_scope;
    routing_scope.project_known =
        std::ranges::find(joined.unclear, routing_scope.domain) == joined.unclear.end();
    if (!routing_scope.project_known) routing_scope.network = kElsewhere - 1 - routing_scope.domain;
  }
  add_declared(connection.ranges, connection.name,
               {.domain = kElsewhere,
                .network = kElsewhere,
                .possible_table = kElsewhere,
                .route_table = kElsewhere,
                .project_known = true},
               comparison_scope);
  return comparison_scope;
}

}  // namespace

std::string ComparedOwner::owner_of(const Range& range) const {
  if (shoot != nullptr) return shoot->name();
  const auto number = static_cast<std::size_t>(&range - ranges.data());
  assert(number < owners.size());
  return owners[number];
}

std::vector<ComparisonScope> comparison_scopes(const Inventory& inventory,
                                               const RoutingScopes& routing_scopes) {
  std::vector<ComparisonScope> comparison_scopes;
  const auto add = [&](ComparisonScope comparison_scope) {
    if (can_hold_pairs(comparison_scope)) comparison_scopes.push_back(std::move(comparison_scope));
  };
  for (const Domain& domain : routing_scopes.domains)
    if (domain.shoots.size() + domain.declared.size() > 1)
      add(scope_of(domain, inventory, routing_scopes));
  for (std::size_t i = 0; i < routing_scopes.connections.size(); ++i)
    add(scope_of(inventory.declared.connections[i], routing_scopes.connections[i], inventory,
                 routing_scopes));
  for (ComparisonScope& comparison_scope : comparison_scopes)
    add_entries(comparison_scope);
  return comparison_scopes;
}

Comparison::Comparison(Inventory all)
    : inventory(std::move(all)),
      routing_scopes(locate(inventory)),
      comparison_scopes(overlap::comparison_scopes(inventory, routing_scopes)) {}

}  // namespace overlane::overlap
