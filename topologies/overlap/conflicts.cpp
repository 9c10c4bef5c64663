#include "topologies/overlap/conflicts.h"

#include <algorithm>

#include "topologies/overlap/inside.h"

namespace overlane::overlap {
namespace {

/// Of one group: a clique of 600 shoots is listed whole.
constexpr std::size_t kMostPairs = 200'000;

template <typename T>
void make_unique(std::vector<T>& values) {
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
}

void add_pairs(const Inventory& inventory, const Scene& scene, const std::vector<bool>& takes_part,
               Severity threshold, Conflicts& conflicts) {
  const auto shoot_of = [&](const Claim& claim) -> std::optional<std::uint32_t> {
    const Shoot* shoot = scene.parties[claim.party].shoot;
    if (shoot == nullptr) return std::nullopt;
    return static_cast<std::uint32_t>(shoot - inventory.shoots.data());
  };
  std::vector<Claim> claims;
  for (const Claim& claim : scene.claims)
    if (const auto shoot = shoot_of(claim); !shoot || takes_part[*shoot]) claims.push_back(claim);
  for (const PairGroup& group : search(claims, scene.scope, kMostPairs, threshold)) {
    if (group.meaning.severity < threshold) continue;
    conflicts.complete = conflicts.complete && group.pairs == group.listed.size();
    for (const auto& [a, b] : group.listed) {
      const auto first = shoot_of(claims[a]);
      const auto second = shoot_of(claims[b]);
      if (first && second)
        conflicts.pairs.push_back(std::minmax(*first, *second));
      else if (first || second)
        conflicts.alone.push_back(first ? *first : *second);
    }
  }
}

}  // namespace

Conflicts find_conflicts(const Inventory& inventory, const std::vector<Scene>& scenes,
                         const std::vector<bool>& takes_part, Severity threshold) {
  Conflicts conflicts;
  const ReservedRanges reserved(inventory);
  for (std::uint32_t i = 0; i < inventory.shoots.size(); ++i)
    if (takes_part[i])
      compare_inside(inventory.shoots[i], reserved, [&](const InsidePair& pair) {
        if (pair.meaning.severity >= threshold) conflicts.alone.push_back(i);
      });
  for (const Scene& scene : scenes)
    add_pairs(inventory, scene, takes_part, threshold, conflicts);
  make_unique(conflicts.pairs);
  make_unique(conflicts.alone);
  return conflicts;
}

}  // namespace overlane::overlap
