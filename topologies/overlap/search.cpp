#include "topologies/overlap/search.h"

#include <algorithm>
#include <map>

#include "topologies/overlap/tally.h"
#include "topologies/ranges/sweep.h"

namespace overlane::overlap {
namespace {

/// The relations that a search tells apart, and how many pairs of a claim stand in one: those who
/// share `with` without those who share `without`.
struct RelationRow {
  Relation relation;
  Level with = Level::Scope;
  std::optional<Level> without;
  /// Claims whose projects are both known and differ are in different networks.
  bool projects_count = false;
};

std::vector<RelationRow> relations_of(const SearchScope& scope) {
  if (scope.is_connection)
    return {{{scope.connected, true, true}, Level::KnownProject, Level::Network},
            {{scope.connected, false, false}, Level::Scope, Level::Network, true}};
  return {{{Meeting::OneRouteList, true, true}, Level::List, std::nullopt},
          {{Meeting::OneRouteList, false, true}, Level::Tables, Level::List},
          {{Meeting::OneNetwork, true, true}, Level::Network, Level::Tables},
          {{scope.if_same, false, false}, Level::Scope, Level::Network, true}};
}

std::int64_t count(const RelationRow& row, const Counts& shared) {
  std::int64_t pairs = at(shared, row.with);
  if (row.without) pairs -= at(shared, *row.without);
  if (row.projects_count && at(shared, Level::KnownProject) > 0)
    pairs -= at(shared, Level::KnownProject) - at(shared, Level::Network);
  return pairs;
}

class Search {
 public:
  Search(std::span<const Claim> claims, const SearchScope& scope, std::size_t most_listed,
         Severity least_listed)
      : claims_(claims),
        provider_(scope.provider),
        relations_(relations_of(scope)),
        most_listed_(most_listed),
        least_listed_(least_listed),
        sharing_(claims),
        classes_(classify()),
        above_(sharing_, sides_.size()),
        entered_(sharing_, sides_.size()) {}

  std::vector<PairGroup> run() {
    std::vector<ranges::Claim> sorted;
    sorted.reserve(claims_.size());
    for (std::uint32_t i = 0; i < claims_.size(); ++i)
      sorted.push_back({claims_[i].range->cidr, i});
    ranges::sort(sorted);
    ranges::sweep(
        std::span<const ranges::Claim>(sorted), [&](const ranges::Claim& one) { enter(one.id); },
        [&](const ranges::Claim& one) { leave(one.id); });
    for (std::size_t g = 0; g < groups_.size(); ++g)
      groups_[g].listed.insert(groups_[g].listed.begin(), asked_[g].begin(), asked_[g].end());
    std::erase_if(groups_, [](const PairGroup& group) { return group.pairs == 0; });
    return std::move(groups_);
  }

 private:
  static constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

  /// Numbers the kinds of ranges, the parties' first claims, and the groups of pairs.
  std::vector<std::uint32_t> classify() {
    std::map<Side, std::uint32_t> numbers;
    std::vector<std::uint32_t> classes;
    for (std::uint32_t i = 0; i < claims_.size(); ++i) {
      const auto [known, is_new] =
          numbers.emplace(side_of(*claims_[i].range), static_cast<std::uint32_t>(sides_.size()));
      if (is_new) sides_.push_back(known->first);
      classes.push_back(known->second);
      const bool starts = i == 0 || claims_[i].party != claims_[i - 1].party;
      party_start_.push_back(starts ? i : party_start_.back());
    }
    for (const Side& a : sides_)
      for (const Side& b : sides_)
        for (const RelationRow& row : relations_)
          group_of_.push_back(find_group(a, b, row.relation));
    return classes;
  }

  /// Groups are told apart by what a reader sees: meaning and kind.
  std::uint32_t find_group(const Side& a, const Side& b, Relation relation) {
    const auto meaning = meaning_of(a, b, relation, provider_);
    if (!meaning) return kNoGroup;
    const auto [first, second] = std::minmax(a.role, b.role);
    const auto is_it = [&](const PairGroup& group) {
      return group.meaning == *meaning && group.first == first && group.second == second;
    };
    const auto known = std::ranges::find_if(groups_, is_it);
    if (known != groups_.end()) return static_cast<std::uint32_t>(known - groups_.begin());
    groups_.push_back({*meaning, first, second});
    members_.emplace_back();
    asked_.emplace_back();
    unlisted_.push_back(0);
    return static_cast<std::uint32_t>(groups_.size() - 1);
  }

  std::uint32_t group(std::uint32_t a, std::uint32_t b, std::size_t relation) const {
    return group_of_[(a * sides_.size() + b) * relations_.size() + relation];
  }

  /// Calls visit(group, pairs) for what a claim has with those of `tally`, which hold `own` of its
  /// own party, class by class.
  template <typename Own, typename Visit>
  void for_pairs(std::uint32_t claim, const Tally& tally, const Own& own, Visit visit) {
    for (std::uint32_t other = 0; other < sides_.size(); ++other) {
      Counts shared = tally.with(claim, other);
      if (at(shared, Level::Scope) == 0) continue;
      own(other, shared);
      for (std::size_t r = 0; r < relations_.size(); ++r) {
        const std::uint32_t g = group(classes_[claim], other, r);
        if (g == kNoGroup) continue;
        const std::int64_t pairs = count(relations_[r], shared);
        if (pairs > 0) visit(g, static_cast<std::uint64_t>(pairs));
      }
    }
  }

  void enter(std::uint32_t claim) {
    const auto without_own = [&](std::uint32_t other, Counts& shared) {
      subtract_own(claim, other, shared, [&](std::uint32_t own) { return is_above(own, claim); });
    };
    for_pairs(claim, above_, without_own, [&](std::uint32_t g, std::uint64_t pairs) {
      groups_[g].pairs += pairs;
      add_member(g, claim);
      if (unlisted_[g] == 0) met_.push_back(g);
      unlisted_[g] += pairs;
    });
    list_pairs(claim);
    for (const std::uint32_t g : met_)
      unlisted_[g] = 0;
    met_.clear();
    above_.add(claim, classes_[claim], 1);
    entered_.add(claim, classes_[claim], 1);
    open_.push_back(claim);
    if (claims_[claim].asked_about) open_asked_.push_back(claim);
    for (std::uint32_t other = 0; other < sides_.size(); ++other)
      before_.push_back(entered_.with(claim, other));
  }

  /// Those entered since the claim was lie in it.
  void leave(std::uint32_t claim) {
    const std::size_t snapshot = before_.size() - sides_.size();
    const auto since = [&](std::uint32_t other, Counts& shared) {
      for (const Level level : kLevels)
        at(shared, level) -= at(before_[snapshot + other], level);
      subtract_own(claim, other, shared, [&](std::uint32_t own) { return is_above(claim, own); });
    };
    for_pairs(claim, entered_, since,
              [&](std::uint32_t g, std::uint64_t) { add_member(g, claim); });
    before_.resize(snapshot);
    open_.pop_back();
    if (claims_[claim].asked_about) open_asked_.pop_back();
    above_.add(claim, classes_[claim], -1);
  }

  template <typename IsMeant>
  void subtract_own(std::uint32_t claim, std::uint32_t other, Counts& shared, IsMeant is_meant) {
    for (std::uint32_t own = party_start_[claim];
         own < claims_.size() && claims_[own].party == claims_[claim].party; ++own) {
      if (own == claim || classes_[own] != other || !is_meant(own)) continue;
      const Counts same = sharing_.between(claim, own);
      for (const Level level : kLevels)
        at(shared, level) -= at(same, level);
    }
  }

  /// Whether the sweep enters `a` before `b`, which lies in it.
  bool is_above(std::uint32_t a, std::uint32_t b) const {
    const IpPrefix& outer = claims_[a].range->cidr;
    const IpPrefix& inner = claims_[b].range->cidr;
    return outer == inner ? a < b : outer.contains(inner);
  }

  void add_member(std::uint32_t g, std::uint32_t claim) {
    if (claims_[claim].range->role == Role::Declared) return;
    std::vector<bool>& members = members_[g];
    const std::uint32_t party = party_start_[claim];
    if (members.empty()) members.resize(claims_.size());
    groups_[g].parties += !members[party];
    members[party] = true;
  }

  bool wants_more(std::uint32_t g, const std::vector<ClaimPair>& listed) const {
    return groups_[g].meaning.severity >= least_listed_ && listed.size() < most_listed_;
  }

  /// Looks at the claims around only where one of the groups that it met has room for a pair of
  /// theirs, so that each look but those at what is asked about lists one at least.
  void list_pairs(std::uint32_t claim) {
    const auto has_room = [&](const auto& list_of) {
      return std::ranges::any_of(
          met_, [&](std::uint32_t g) { return unlisted_[g] > 0 && wants_more(g, list_of(g)); });
    };
    const auto asked = [&](std::uint32_t g) -> auto& {
      return asked_[g];
    };
    const auto others = [&](std::uint32_t g) -> auto& {
      return groups_[g].listed;
    };
    if (claims_[claim].asked_about) {
      if (has_room(asked)) list_pairs(claim, open_, asked);
      return;
    }
    if (!open_asked_.empty() && (has_room(asked) || has_room(others)))
      list_pairs(claim, open_asked_, asked);
    if (has_room(others)) list_pairs(claim, open_, others);
  }

  /// In the lists for pairs that are asked about, or in those for others.
  template <typename ListOf>
  void list_pairs(std::uint32_t claim, const std::vector<std::uint32_t>& open, ListOf list_of) {
    const bool are_others = &open == &open_ && !claims_[claim].asked_about;
    for (const std::uint32_t other : open) {
      if (claims_[other].party == claims_[claim].party) continue;
      if (are_others && claims_[other].asked_about) continue;
      const Counts shared = sharing_.between(claim, other);
      for (std::size_t r = 0; r < relations_.size(); ++r) {
        const std::uint32_t g = group(classes_[claim], classes_[other], r);
        if (g == kNoGroup || count(relations_[r], shared) <= 0) continue;
        --unlisted_[g];
        if (wants_more(g, list_of(g))) list_of(g).push_back({other, claim, relations_[r].relation});
      }
    }
  }

  std::span<const Claim> claims_;
  effective::Provider provider_;
  std::vector<RelationRow> relations_;
  std::size_t most_listed_;
  Severity least_listed_;
  Sharing sharing_;
  std::vector<Side> sides_;                 ///< Of classes.
  std::vector<std::uint32_t> party_start_;  ///< Of claims: the first one of the same party.
  std::vector<std::uint32_t> group_of_;     ///< Of two classes and a relation.
  std::vector<PairGroup> groups_;
  std::vector<std::vector<bool>> members_;     ///< Of groups: parties by their first claim.
  std::vector<std::vector<ClaimPair>> asked_;  ///< Of groups: pairs that are asked about.
  /// Of groups: pairs of the claim that enters which nobody has looked at.
  std::vector<std::uint64_t> unlisted_;
  std::vector<std::uint32_t> classes_;  ///< Of claims. Fills what stands above it.
  Tally above_;                         ///< Those entered and not left.
  Tally entered_;                       ///< All that were entered.
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> open_asked_;
  std::vector<std::uint32_t> met_;  ///< Groups that the claim that enters has pairs of.
  std::vector<Counts> before_;      ///< For each open claim and class, what was entered with it.
};

}  // namespace

std::vector<PairGroup> search(std::span<const Claim> claims, const SearchScope& scope,
                              std::size_t most_listed, Severity least_listed) {
  return Search(claims, scope, most_listed, least_listed).run();
}

}  // namespace overlane::overlap
