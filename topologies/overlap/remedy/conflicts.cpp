#include "topologies/overlap/remedy/conflicts.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "topologies/overlap/impact/self_overlap.h"
#include "topologies/ranges/sort_unique.h"

namespace overlane::overlap {
namespace {

/// Of one group: a clique of 600 shoots is listed whole.
constexpr std::size_t kMostPairs = 200'000;

/// "secondary CIDR of the shop 100.100.0.0/16".
std::string named(std::string_view owner, const Range& range) {
  return fmt::format("{} {}", owner, range.cidr.to_string());
}

std::optional<std::uint32_t> shoot_of(const Inventory& inventory, const Scene& scene,
                                      const Claim& claim) {
  const Shoot* shoot = scene.party_of(claim).shoot;
  if (shoot == nullptr) return std::nullopt;
  return static_cast<std::uint32_t>(shoot - inventory.shoots.data());
}

/// What a reader calls the owner of a claim's range.
std::string name_of(const Scene& scene, const Claim& claim) {
  const Party& party = scene.party_of(claim);
  const std::string owner = party.owner_of(*claim.range);
  return party.shoot != nullptr ? owner : named(owner, *claim.range);
}

void add_pair(const Inventory& inventory, const Scene& scene, const Claim& a, const Claim& b,
              Conflicts& conflicts) {
  const auto first = shoot_of(inventory, scene, a);
  const auto second = shoot_of(inventory, scene, b);
  if (first && second)
    conflicts.pairs.push_back(std::minmax(*first, *second));
  else if (first || second)
    conflicts.alone.push_back(first ? *first : *second);
  if (first)
    conflicts.involved.push_back({*first, a.range->role, a.range->cidr, name_of(scene, b)});
  if (second)
    conflicts.involved.push_back({*second, b.range->role, b.range->cidr, name_of(scene, a)});
}

void add_scene(const Inventory& inventory, const Scene& scene, const std::vector<bool>& takes_part,
               Severity threshold, Conflicts& conflicts) {
  std::vector<Claim> claims;
  for (const Claim& claim : scene.claims)
    if (const auto shoot = shoot_of(inventory, scene, claim); !shoot || takes_part[*shoot])
      claims.push_back(claim);
  for (const PairGroup& group : search(claims, scene.scope, kMostPairs, threshold)) {
    if (group.meaning.severity < threshold) continue;
    conflicts.complete = conflicts.complete && group.pairs == group.listed.size();
    for (const ClaimPair& pair : group.listed)
      add_pair(inventory, scene, claims[pair.a], claims[pair.b], conflicts);
  }
}

void add_inside(const Shoot& shoot, std::uint32_t number, const std::vector<Reserved>& reserved,
                Severity threshold, Conflicts& conflicts) {
  compare_inside(shoot, reserved, [&](const InsidePair& pair) {
    if (pair.meaning.severity < threshold) return;
    conflicts.alone.push_back(number);
    const std::string other = pair.is_own ? fmt::format("its own {}", to_string(pair.other.role))
                                          : named(pair.owner, pair.other);
    conflicts.involved.push_back({number, pair.own.role, pair.own.cidr, other});
  });
}

}  // namespace

Conflicts find_conflicts(const Inventory& inventory, const Positions& positions,
                         const std::vector<Scene>& scenes, const std::vector<bool>& takes_part,
                         const ConflictScope& scope) {
  Conflicts conflicts;
  const std::vector<Reserved> reserved = reserved_ranges(inventory);
  const auto counts = [&](const std::string& domain) {
    return scope.domain.empty() || scope.domain == domain;
  };
  for (std::uint32_t i = 0; i < inventory.shoots.size(); ++i)
    if (takes_part[i] && counts(positions.domains[positions.shoots[i].domain].key))
      add_inside(inventory.shoots[i], i, reserved, scope.least, conflicts);
  for (const Scene& scene : scenes)
    if (counts(scene.key)) add_scene(inventory, scene, takes_part, scope.least, conflicts);
  ranges::sort_unique(conflicts.pairs);
  ranges::sort_unique(conflicts.alone);
  ranges::sort_unique(conflicts.involved);
  return conflicts;
}

}  // namespace overlane::overlap
