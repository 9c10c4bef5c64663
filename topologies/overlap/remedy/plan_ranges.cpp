#include "topologies/overlap/remedy/plan_ranges.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "topologies/overlap/remedy/free_ranges.h"
#include "topologies/ranges/sort_unique.h"

namespace overlane::overlap {
namespace {

/// The domains that each connection joins, ascending.
std::vector<std::vector<std::uint32_t>> joined_domains(const RoutingScopes& routing_scopes) {
  std::vector<std::vector<std::uint32_t>> all;
  for (const Joined& joined : routing_scopes.connections) {
    std::vector<std::uint32_t>& domains = all.emplace_back();
    for (const std::uint32_t shoot : joined.shoots)
      domains.push_back(routing_scopes.shoots[shoot].domain);
    ranges::sort_unique(domains);
  }
  return all;
}

/// Changes by domain and length.
using Alike = std::map<std::pair<std::uint32_t, std::uint8_t>, std::vector<Change*>>;

/// Assigns distinct ranges within connected networks, while some are free.
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
  std::map<std::uint32_t, std::vector<IpPrefix>> taken_;  ///< By domain.
};

}  // namespace

void propose_ranges(const Inventory& inventory, const RoutingScopes& routing_scopes,
                    std::vector<PlanStep>& steps) {
  constexpr std::int64_t kFewestNodes = 256;  // Of a /16, which free_ranges.h proposes too.
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

}  // namespace overlane::overlap
