#include "topologies/overlap/map/address_map.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "topologies/overlap/pairs/impact.h"
#include "topologies/ranges/sorting.h"

namespace overlane::overlap {

namespace {

using ranges::AddressNumber;
using ranges::first_of;
using ranges::last_of;

int bits_of(AddressNumber number) {
  const auto high = static_cast<std::uint64_t>(number >> 64);
  const auto low = static_cast<std::uint64_t>(number);
  return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
}

}  // namespace

std::string MapAxis::Stretch::label() const {
  for (unsigned length = 0; length <= (first.is_ipv4() ? 32 : 128); ++length) {
    const auto cidr = IpPrefix::containing(first, static_cast<std::uint8_t>(length));
    if (cidr.network() == first && ranges::last_of(cidr) == ranges::number_of(last))
      return cidr.to_string();
  }
  return fmt::format("{} – {}", first.to_string(), last.to_string());
}

MapAxis::MapAxis(std::vector<IpPrefix> ranges, int width) {
  std::ranges::sort(ranges);
  cut(ranges);
  lay_out(width);
}

/// Cuts the axis at each end of a range.
void MapAxis::cut(const std::vector<IpPrefix>& ranges) {
  std::vector<AddressNumber> starts;
  for (const IpPrefix& range : ranges) {
    starts.push_back(first_of(range));
    starts.push_back(last_of(range) + 1);  // Wraps to 0 after the last address of the family.
  }
  ranges::sort_unique(starts);
  const IpPrefix* outer = nullptr;
  auto start = starts.begin();
  for (const IpPrefix& range : ranges) {
    if (outer != nullptr && outer->contains(range)) continue;
    outer = &range;
    start = std::lower_bound(start, starts.end(), first_of(range));
    for (; start != starts.end() && *start <= last_of(range); ++start) {
      const auto next = start + 1;
      const bool goes_on = next != starts.end() && *next <= last_of(range);
      segments_.push_back({*start, goes_on ? *next - 1 : last_of(range), {}});
    }
  }
}

void MapAxis::lay_out(int width) {
  const auto weight = [](const Segment& segment) {
    const int bits = bits_of(segment.last - segment.first);
    return bits * bits;
  };
  std::int64_t all = 1;
  for (const Segment& segment : segments_)
    all += weight(segment);
  int x = 0;
  for (Segment& segment : segments_) {
    const bool follows =
        !stretches_.empty() && ranges::number_of(stretches_.back().last) + 1 == segment.first;
    if (!follows && !stretches_.empty()) x += kGap;
    segment.span = {x, std::max(kMin, static_cast<int>(weight(segment) * width / all))};
    x += segment.span.width;
    if (!follows)
      stretches_.push_back(
          {.first = ranges::address_of(segment.first), .span = {segment.span.x, 0}});
    Stretch& stretch = stretches_.back();
    stretch.last = ranges::address_of(segment.last);
    stretch.span.width = x - stretch.span.x;
  }
}

int MapAxis::width() const {
  return stretches_.empty() ? 0 : stretches_.back().span.x + stretches_.back().span.width;
}

int MapAxis::x_of(const Segment& segment, AddressNumber address) {
  // The shift keeps products below 64 bits; quotients of addresses do not need their last bits.
  const int shift = std::max(0, bits_of(segment.last - segment.first) - 40);
  const auto size = static_cast<std::uint64_t>((segment.last - segment.first) >> shift) + 1;
  const auto offset = static_cast<std::uint64_t>((address - segment.first) >> shift);
  return segment.span.x +
         static_cast<int>(offset * static_cast<std::uint64_t>(segment.span.width) / size);
}

MapAxis::Span MapAxis::of(const IpPrefix& range) const {
  const auto segment_of = [&](AddressNumber address) -> const Segment& {
    const auto after = std::ranges::upper_bound(segments_, address, {}, &Segment::first);
    assert(after != segments_.begin() && address <= std::prev(after)->last);
    return *std::prev(after);
  };
  const int x = x_of(segment_of(first_of(range)), first_of(range));
  const Segment& last = segment_of(last_of(range));
  const int end =
      last.last == last_of(range) ? last.span.x + last.span.width : x_of(last, last_of(range) + 1);
  return {x, std::max(1, end - x)};
}

namespace {

/// Maximum number of pairs per group in a map; more pairs would not change the picture.
constexpr std::size_t kMaxPairsInMap = 100'000;

/// The comparison scope of a domain with one owner, which comparison_scopes() leaves out.
ComparisonScope scope_of_one_owner(const Domain& domain, const Inventory& inventory,
                                   const RoutingScopes& routing_scopes) {
  ComparisonScope comparison_scope;
  comparison_scope.key = domain.key;
  for (const std::uint32_t i : domain.shoots) {
    comparison_scope.owners.push_back(
        {.routing_scope = routing_scopes.shoots[i], .shoot = &inventory.shoots[i]});
    comparison_scope.scope.provider = inventory.shoots[i].provider;
  }
  return comparison_scope;
}

/// The visible properties of a range.
auto look_of(const Range& range) {
  return std::tuple(range.cidr, range.role, range.dataplane_mode, range.assumed);
}
using Looks = std::vector<decltype(look_of(std::declval<Range>()))>;

Looks looks_of(const std::vector<Range>& ranges) {
  Looks looks;
  for (const Range& range : ranges)
    looks.push_back(look_of(range));
  std::ranges::sort(looks);
  return looks;
}

bool is_live(const ComparedOwner& owner) {
  return owner.shoot != nullptr && owner.shoot->stage == effective::Stage::Live;
}

class Mapper {
 public:
  Mapper(const Inventory& inventory, const ComparisonScope& comparison_scope)
      : comparison_scope_(comparison_scope),
        reserved_(reserved_ranges(inventory)),
        has_live_(std::ranges::any_of(comparison_scope.owners, is_live)) {
    map_.domain = comparison_scope.key;
  }

  AddressMap map() {
    add_owners();
    for (const Reserved& entry : reserved_)
      if (entry.rule == "overlap-landscape-reserved" && !comparison_scope_.scope.is_connection)
        row_of(entry.owner, entry.range);
    add_overlaps();
    if (!comparison_scope_.scope.is_connection) add_self_overlaps();
    for (auto& [cidr, intersection] : intersections_)
      map_.intersections.push_back(std::move(intersection));
    std::ranges::stable_sort(map_.intersections, std::greater(),
                             &AddressMap::Intersection::severity);
    for (AddressMap::Row& row : map_.rows)
      std::ranges::stable_sort(row.ranges, {}, &Range::cidr);
    return std::move(map_);
  }

 private:
  void add_owners() {
    std::map<std::pair<Looks, std::string_view>, std::size_t> known;
    for (const ComparedOwner& owner : comparison_scope_.owners) {
      if (owner.shoot == nullptr) continue;
      ++map_.shoots;
      const std::string_view remark = remark_of(owner);
      const auto [row, is_new] =
          known.emplace(std::pair(looks_of(owner.shoot->ranges), remark), map_.rows.size());
      if (is_new)
        map_.rows.push_back({.owner = owner.shoot->name() + std::string(remark),
                             .members = 0,
                             .ranges = owner.shoot->ranges});
      AddressMap::Row& its = map_.rows[row->second];
      ++its.members;
      its.pod_cidrs.insert(its.pod_cidrs.end(), owner.shoot->pod_cidrs.begin(),
                           owner.shoot->pod_cidrs.end());
      shoot_rows_.emplace(owner.shoot, row->second);
    }
    for (const ComparedOwner& owner : comparison_scope_.owners)
      for (std::size_t i = 0; i < owner.ranges.size(); ++i)
        row_of(owner.owners[i], owner.ranges[i]);
  }

  /// Marks candidates, and shoots that are not created yet if other shoots of the map run.
  std::string_view remark_of(const ComparedOwner& owner) const {
    if (owner.shoot->candidate) return " (candidate)";
    return has_live_ && !is_live(owner) ? " (not created yet)" : "";
  }

  /// The row of an owner that is not a shoot, with that range.
  std::size_t row_of(const std::string& owner, const Range& range) {
    const auto [known, is_new] = owner_rows_.emplace(owner, map_.rows.size());
    if (is_new) map_.rows.push_back({.owner = owner});
    std::vector<Range>& ranges = map_.rows[known->second].ranges;
    if (std::ranges::find(ranges, look_of(range), look_of) == ranges.end()) ranges.push_back(range);
    return known->second;
  }

  std::size_t row_of(const RangeEntry& entry) {
    const ComparedOwner& owner = comparison_scope_.owner_of_entry(entry);
    return owner.shoot != nullptr ? shoot_rows_.at(owner.shoot)
                                  : row_of(owner.owner_of(*entry.range), *entry.range);
  }

  RangeOwner owner_of(const RangeEntry& entry) const {
    return {comparison_scope_.owner_of_entry(entry).owner_of(*entry.range), entry.range->role,
            entry.range->dataplane_mode, routes_missing(*entry.range)};
  }

  /// Entries of at most two owners with equal ranges in the same network.
  std::vector<RangeEntry> distinct_entries() const {
    std::map<std::tuple<Looks, std::uint32_t, std::uint32_t, std::uint32_t, bool>, int> seen;
    std::vector<RangeEntry> entries;
    std::uint32_t skipped = ~std::uint32_t{0};
    for (std::size_t i = 0; i < comparison_scope_.entries.size(); ++i) {
      const RangeEntry& entry = comparison_scope_.entries[i];
      const ComparedOwner& owner = comparison_scope_.owner_of_entry(entry);
      const bool starts = i == 0 || comparison_scope_.entries[i - 1].owner != entry.owner;
      if (starts && owner.shoot != nullptr) {
        const RoutingScope& at = entry.routing_scope;
        const int before = seen[{looks_of(owner.shoot->ranges), at.network, at.possible_table,
                                 at.route_table, at.project_known}]++;
        if (before >= 2) skipped = entry.owner;
      }
      if (entry.owner != skipped) entries.push_back(entry);
    }
    return entries;
  }

  void add_overlaps() {
    const std::vector<RangeEntry> entries = distinct_entries();
    for (const PairGroup& group :
         search(entries, comparison_scope_.scope, kMaxPairsInMap, Severity::Warning)) {
      map_.complete = map_.complete && (group.impact.severity < Severity::Warning ||
                                        group.listed.size() == group.pairs);
      for (const RangePair& pair : group.listed)
        add_intersection(entries[pair.a], entries[pair.b], group.impact, pair.relation);
    }
  }

  void add_intersection(const RangeEntry& a, const RangeEntry& b, const Impact& impact,
                        const Relation& relation) {
    add_intersection(*a.range, *b.range, {row_of(a), row_of(b)}, impact, [&] {
      return consequence(impact, relation, comparison_scope_.scope.provider, owner_of(a),
                         owner_of(b));
    });
  }

  void add_self_overlaps() {
    for (const ComparedOwner& owner : comparison_scope_.owners) {
      if (owner.shoot == nullptr) continue;
      compare_own_ranges(*owner.shoot, reserved_, [&](const SelfOverlap& pair) {
        if (pair.impact.severity < Severity::Warning) return;
        const std::size_t row = shoot_rows_.at(owner.shoot);
        const std::size_t other = pair.is_own ? row : row_of(std::string(pair.owner), pair.other);
        add_intersection(pair.own, pair.other, {row, other}, pair.impact,
                         [&] { return consequence(*owner.shoot, pair); });
      });
    }
  }

  template <typename Consequence>
  void add_intersection(const Range& a, const Range& b, std::pair<std::size_t, std::size_t> rows,
                        const Impact& impact, const Consequence& consequence_of) {
    const IpPrefix& cidr = a.cidr.bits() < b.cidr.bits() ? b.cidr : a.cidr;
    AddressMap::Intersection& intersection = intersections_[cidr];
    intersection.cidr = cidr;
    intersection.severity = std::max(intersection.severity, impact.severity);
    AddressMap::Intersection::Reason& reason =
        intersection.reasons[{impact.severity, impact.rule->id}];
    if (reason.rows.empty()) reason.consequence = consequence_of();
    reason.rows.insert({rows.first, rows.second});
  }

  const ComparisonScope& comparison_scope_;
  std::vector<Reserved> reserved_;
  bool has_live_;
  AddressMap map_;
  std::map<const Shoot*, std::size_t> shoot_rows_;
  std::map<std::string, std::size_t> owner_rows_;
  std::map<IpPrefix, AddressMap::Intersection> intersections_;
};

}  // namespace

std::string AddressMap::Row::label() const {
  return members > 1 ? fmt::format("{} shoots like {}", members, owner) : owner;
}

AddressMap map_addresses(const Comparison& comparison, const std::string& domain) {
  const auto& [inventory, routing_scopes, comparison_scopes] = comparison;
  const auto comparison_scope = std::ranges::find(comparison_scopes, domain, &ComparisonScope::key);
  if (comparison_scope != comparison_scopes.end())
    return Mapper(inventory, *comparison_scope).map();
  const auto alone = std::ranges::find(routing_scopes.domains, domain, &Domain::key);
  if (alone == routing_scopes.domains.end()) return {.domain = domain};
  return Mapper(inventory, scope_of_one_owner(*alone, inventory, routing_scopes)).map();
}

}  // namespace overlane::overlap
