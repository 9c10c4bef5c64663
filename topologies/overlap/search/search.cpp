#include "topologies/overlap/search/search.h"

#include <algorithm>

#include "topologies/overlap/search/grouping.h"
#include "topologies/ranges/sweep.h"

namespace overlane::overlap {
namespace {

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
  /// Calls visit(group, pairs) for the pairs of an entry with those of `tally`; own(class, counts)
  /// subtracts the owner's.
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

  /// Entries since `entry` was entered are inside it.
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

  /// Whether the sweep enters `a` before `b`, which lies in it.
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

  /// Visits the enclosing entries only if a group has room for a pair, so that each visit lists at
  /// least one pair (except visits of entries that are asked about).
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
  std::vector<std::uint32_t> owner_start_;  ///< Of entries.
  std::vector<PairGroup> groups_;
  std::vector<std::vector<bool>> members_;     ///< Of groups: owners by their first entry.
  std::vector<std::vector<RangePair>> asked_;  ///< Of groups: pairs that are asked about.
  /// Of groups: pairs of the current entry that are not listed yet.
  std::vector<std::uint64_t> unlisted_;
  Tally above_;    ///< Entered and not left.
  Tally entered_;  ///< All entered.
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> open_asked_;
  std::vector<std::uint32_t> touched_;  ///< Groups of the current entry's pairs.
  std::vector<Counts> before_;          ///< For each open entry and class, `entered_` at its start.
};

}  // namespace

std::vector<PairGroup> search(std::span<const RangeEntry> entries, const SearchScope& scope,
                              std::size_t most_listed, Severity least_listed) {
  return Search(entries, scope, most_listed, least_listed).run();
}

}  // namespace overlane::overlap
