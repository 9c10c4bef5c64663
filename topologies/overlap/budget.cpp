#include "topologies/overlap/budget.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "topologies/effective/route_quota.h"
#include "topologies/overlap/meaning.h"
#include "topologies/overlap/sort_by.h"

namespace overlane::overlap {
namespace {

/// What is declared of the network that a shoot is in; nullptr: nothing.
const domains::Network* declared_of(const Position& position, const Inventory& inventory,
                                    const Positions& positions) {
  for (std::size_t i = 0; i < positions.networks.size(); ++i)
    if (positions.networks[i].network == position.network) return &inventory.declared.networks[i];
  return nullptr;
}

void set_quota(const effective::RouteQuota& usual, const domains::Network* declared,
               const Inventory& inventory, RouteBudget& budget) {
  if (declared != nullptr && declared->route_quota) {
    budget.quota = declared->route_quota;
    budget.quota_source = declared->place.to_string();
    return;
  }
  const auto set = inventory.route_quotas.find(usual.provider);
  if (set != inventory.route_quotas.end()) {
    budget.quota = set->second;
    budget.quota_source = "as the landscape's settings say";
  } else if (usual.usual > 0) {
    budget.quota = usual.usual;
    budget.quota_source = usual.source;
    budget.quota_assumed = true;
  }
}

/// Of pods behind an overlay too, where the provider's controller does not ask for it.
bool writes_routes(const Shoot& shoot) {
  const auto writes = [&](const Range& range) {
    return has_routes(range.carriage) ||
           (range.carriage == Carriage::Overlay && shoot.always_writes_routes);
  };
  return shoot.route_list != RouteList::None && std::ranges::any_of(shoot.ranges, writes) &&
         effective::route_quota(shoot.provider) != nullptr;
}

/// On a router the routes of both families stand in one list; elsewhere each has a list.
std::int64_t routes_of_node(const Shoot& shoot) {
  const auto in_family = [&](bool ipv4) {
    return std::ranges::any_of(shoot.ranges, [&](const Range& range) {
      return is_routed(range.carriage) && range.cidr.is_ipv4() == ipv4;
    });
  };
  const bool both = in_family(true) && in_family(false);
  return both && shoot.provider == effective::Provider::OpenStack ? 2 : 1;
}

Finding exceeded(const RouteBudget& budget, const Shoot& first) {
  const bool now = budget.minimum > *budget.quota;
  const effective::Rule& broken =
      rule(now ? "domain-route-quota-by-minimum" : "domain-route-quota-by-maximum");
  return {.rule = std::string(broken.id),
          .severity =
              budget.quota_assumed ? std::min(broken.severity, Severity::Warning) : broken.severity,
          .message = fmt::format("{}: the {} {} to hold {} routes for {} of {}, but may hold no "
                                 "more than {} ({})",
                                 budget.routing_domain, budget.holder, now ? "has" : "may have",
                                 now ? budget.minimum : budget.maximum,
                                 now ? "the least number of nodes" : "the most nodes",
                                 budget.shoots.size() == 1
                                     ? budget.shoots.front()
                                     : fmt::format("{} shoots", budget.shoots.size()),
                                 *budget.quota, budget.quota_source.str()),
          .object = first.object,
          .path = "spec.provider.workers",
          .place = first.place,
          .hint = std::string(broken.remedy)};
}

}  // namespace

std::int64_t RouteBudget::fullness() const {
  return quota && *quota > 0 ? maximum * 1000 / *quota : 0;
}

std::vector<RouteBudget> route_budgets(const Inventory& inventory, const Positions& positions) {
  std::vector<RouteBudget> budgets;
  std::unordered_map<std::uint32_t, std::size_t> known;  // By lists, the places in `budgets`.
  struct First {
    const Shoot* shoot;
    std::uint32_t domain;
  };
  std::vector<First> firsts;
  for (std::uint32_t i = 0; i < inventory.shoots.size(); ++i) {
    const Shoot& shoot = inventory.shoots[i];
    if (!writes_routes(shoot)) continue;
    const Position& position = positions.shoots[i];
    if (known.emplace(position.list, budgets.size()).second) {
      RouteBudget& budget = budgets.emplace_back();
      firsts.push_back({&shoot, position.domain});
      const effective::RouteQuota& usual = *effective::route_quota(shoot.provider);
      const domains::Network* declared = declared_of(position, inventory, positions);
      budget.routing_domain = positions.domains[position.domain].key;
      budget.holder = usual.holder;
      budget.minimum = budget.maximum = declared != nullptr && declared->says_other_routes
                                            ? declared->other_routes
                                            : usual.own_routes;
      set_quota(usual, declared, inventory, budget);
    }
    RouteBudget& budget = budgets[known.at(position.list)];
    budget.shoots.push_back(shoot.name());
    budget.minimum += shoot.nodes.minimum * routes_of_node(shoot) + shoot.other_routes;
    budget.maximum += shoot.nodes.maximum * routes_of_node(shoot) + shoot.other_routes;
  }
  for (std::size_t i = 0; i < budgets.size(); ++i)
    if (budgets[i].quota && budgets[i].maximum > *budgets[i].quota)
      budgets[i].finding = std::make_shared<const Finding>(exceeded(budgets[i], *firsts[i].shoot));
  sort_by(budgets, [&](std::size_t i) {
    return std::tuple(-budgets[i].fullness(), -budgets[i].maximum, firsts[i].domain);
  });
  return budgets;
}

}  // namespace overlane::overlap
