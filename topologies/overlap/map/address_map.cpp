#include "topologies/overlap/map/address_map.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "topologies/overlap/impact/impact.h"
#include "topologies/overlap/impact/self_overlap.h"

namespace overlane::overlap {
namespace {

/// Pairs of a group that are looked at. Beyond them a picture shows nothing new.
constexpr std::size_t kMostPairsInMap = 100'000;

/// The only party of a domain meets nobody, so that there is no scene of it.
Scene scene_of_one(const Domain& domain, const Inventory& inventory, const Positions& positions) {
  Scene scene;
  scene.key = domain.key;
  for (const std::uint32_t i : domain.shoots) {
    scene.parties.push_back({.position = positions.shoots[i], .shoot = &inventory.shoots[i]});
    scene.scope.provider = inventory.shoots[i].provider;
  }
  return scene;
}

/// All that shows of a range.
auto look_of(const Range& range) {
  return std::tuple(range.cidr, range.role, range.carriage, range.assumed);
}
using Looks = std::vector<decltype(look_of(std::declval<Range>()))>;

Looks looks_of(const std::vector<Range>& ranges) {
  Looks looks;
  for (const Range& range : ranges)
    looks.push_back(look_of(range));
  std::ranges::sort(looks);
  return looks;
}

bool is_live(const Party& party) {
  return party.shoot != nullptr && party.shoot->stage == effective::Stage::Live;
}

class Mapper {
 public:
  Mapper(const Inventory& inventory, const Scene& scene)
      : scene_(scene),
        reserved_(reserved_ranges(inventory)),
        has_live_(std::ranges::any_of(scene.parties, is_live)) {
    map_.domain = scene.key;
  }

  AddressMap map() {
    add_parties();
    for (const Reserved& entry : reserved_)
      if (entry.rule == "overlap-landscape-reserved" && !scene_.scope.is_connection)
        row_of(entry.owner, entry.range);
    meet_others();
    if (!scene_.scope.is_connection) meet_inside();
    for (auto& [cidr, piece] : pieces_)
      map_.pieces.push_back(std::move(piece));
    std::ranges::stable_sort(map_.pieces, std::greater(), &AddressMap::Piece::severity);
    for (AddressMap::Row& row : map_.rows)
      std::ranges::stable_sort(row.ranges, {}, &Range::cidr);
    return std::move(map_);
  }

 private:
  void add_parties() {
    std::map<std::pair<Looks, std::string_view>, std::size_t> known;
    for (const Party& party : scene_.parties) {
      if (party.shoot == nullptr) continue;
      ++map_.shoots;
      const std::string_view remark = remark_of(party);
      const auto [row, is_new] =
          known.emplace(std::pair(looks_of(party.shoot->ranges), remark), map_.rows.size());
      if (is_new)
        map_.rows.push_back({.owner = party.shoot->name() + std::string(remark),
                             .members = 0,
                             .ranges = party.shoot->ranges});
      AddressMap::Row& its = map_.rows[row->second];
      ++its.members;
      its.slices.insert(its.slices.end(), party.shoot->slices.begin(), party.shoot->slices.end());
      shoot_rows_.emplace(party.shoot, row->second);
    }
    for (const Party& party : scene_.parties)
      for (std::size_t i = 0; i < party.ranges.size(); ++i)
        row_of(party.owners[i], party.ranges[i]);
  }

  /// Beside running shoots, of one that is not there.
  std::string_view remark_of(const Party& party) const {
    if (party.shoot->candidate) return " (candidate)";
    return has_live_ && !is_live(party) ? " (not created yet)" : "";
  }

  /// The row of somebody who is no shoot, with that range.
  std::size_t row_of(const std::string& owner, const Range& range) {
    const auto [known, is_new] = owner_rows_.emplace(owner, map_.rows.size());
    if (is_new) map_.rows.push_back({.owner = owner});
    std::vector<Range>& ranges = map_.rows[known->second].ranges;
    if (std::ranges::find(ranges, look_of(range), look_of) == ranges.end()) ranges.push_back(range);
    return known->second;
  }

  std::size_t row_of(const Claim& claim) {
    const Party& party = scene_.party_of(claim);
    return party.shoot != nullptr ? shoot_rows_.at(party.shoot)
                                  : row_of(party.owner_of(*claim.range), *claim.range);
  }

  Owner owner_of(const Claim& claim) const {
    return {scene_.party_of(claim).owner_of(*claim.range), claim.range->role,
            claim.range->carriage};
  }

  /// Of parties that have the same ranges at the same place, two stand for all.
  std::vector<Claim> telling_claims() const {
    std::map<std::tuple<Looks, std::uint32_t, std::uint32_t, std::uint32_t, bool>, int> seen;
    std::vector<Claim> claims;
    std::uint32_t skipped = ~std::uint32_t{0};
    for (std::size_t i = 0; i < scene_.claims.size(); ++i) {
      const Claim& claim = scene_.claims[i];
      const Party& party = scene_.party_of(claim);
      const bool starts = i == 0 || scene_.claims[i - 1].party != claim.party;
      if (starts && party.shoot != nullptr) {
        const Position& at = claim.position;
        const int before = seen[{looks_of(party.shoot->ranges), at.network, at.tables, at.list,
                                 at.project_known}]++;
        if (before >= 2) skipped = claim.party;
      }
      if (claim.party != skipped) claims.push_back(claim);
    }
    return claims;
  }

  void meet_others() {
    const std::vector<Claim> claims = telling_claims();
    for (const PairGroup& group :
         search(claims, scene_.scope, kMostPairsInMap, Severity::Warning)) {
      map_.complete = map_.complete && (group.meaning.severity < Severity::Warning ||
                                        group.listed.size() == group.pairs);
      for (const ClaimPair& pair : group.listed)
        meet(claims[pair.a], claims[pair.b], group.meaning, pair.relation);
    }
  }

  void meet(const Claim& a, const Claim& b, const Meaning& meaning, const Relation& relation) {
    meet(*a.range, *b.range, {row_of(a), row_of(b)}, meaning, [&] {
      return consequence(meaning, relation, scene_.scope.provider, owner_of(a), owner_of(b));
    });
  }

  void meet_inside() {
    for (const Party& party : scene_.parties) {
      if (party.shoot == nullptr) continue;
      compare_inside(*party.shoot, reserved_, [&](const InsidePair& pair) {
        if (pair.meaning.severity < Severity::Warning) return;
        const std::size_t row = shoot_rows_.at(party.shoot);
        const std::size_t other = pair.is_own ? row : row_of(std::string(pair.owner), pair.other);
        meet(pair.own, pair.other, {row, other}, pair.meaning,
             [&] { return consequence(*party.shoot, pair); });
      });
    }
  }

  template <typename Consequence>
  void meet(const Range& a, const Range& b, std::pair<std::size_t, std::size_t> rows,
            const Meaning& meaning, const Consequence& consequence_of) {
    const IpPrefix& cidr = a.cidr.bits() < b.cidr.bits() ? b.cidr : a.cidr;
    AddressMap::Piece& piece = pieces_[cidr];
    piece.cidr = cidr;
    piece.severity = std::max(piece.severity, meaning.severity);
    AddressMap::Piece::Reason& reason = piece.reasons[{meaning.severity, meaning.rule->id}];
    if (reason.rows.empty()) reason.consequence = consequence_of();
    reason.rows.insert({rows.first, rows.second});
  }

  const Scene& scene_;
  std::vector<Reserved> reserved_;
  bool has_live_;
  AddressMap map_;
  std::map<const Shoot*, std::size_t> shoot_rows_;
  std::map<std::string, std::size_t> owner_rows_;
  std::map<IpPrefix, AddressMap::Piece> pieces_;
};

}  // namespace

std::string AddressMap::Row::label() const {
  return members > 1 ? fmt::format("{} shoots like {}", members, owner) : owner;
}

AddressMap map_addresses(const Inventory& inventory, const Positions& positions,
                         const std::vector<Scene>& scenes, const std::string& domain) {
  const auto scene = std::ranges::find(scenes, domain, &Scene::key);
  if (scene != scenes.end()) return Mapper(inventory, *scene).map();
  const auto alone = std::ranges::find(positions.domains, domain, &Domain::key);
  if (alone == positions.domains.end()) return {.domain = domain};
  return Mapper(inventory, scene_of_one(*alone, inventory, positions)).map();
}

}  // namespace overlane::overlap
