#include "topologies/overlap/budget.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "topologies/effective/route_quota.h"
#include "topologies/overlap/rules.h"
#include "topologies/overlap/sort_by.h"

namespace overlane::overlap {
namespace {

/// What is declared of the list of a network's routes, by whichever names the network has there.
struct DeclaredList {
  std::optional<std::int64_t> quota;
  std::string quota_source;
  bool quota_assumed = false;  ///< It may be another network's of the same name.
  std::optional<std::int64_t> other_routes;
};

DeclaredList declared_of(const Position& position, const Inventory& inventory,
                         const Positions& positions) {
  DeclaredList list;
  for (const bool sure : {true, false})
    for (const std::uint32_t i : positions.domains[position.domain].declared) {
      const Position& its = positions.networks[i];
      if (sure ? its.network != position.network : its.project_known) continue;
      const domains::Network& network = inventory.declared.networks[i];
      if (!list.other_routes && network.says_other_routes) list.other_routes = network.other_routes;
      if (list.quota || !network.route_quota) continue;
      list.quota = network.route_quota;
      list.quota_source =
          network.place.to_string() + (sure ? "" : ", if that is said of this network");
      list.quota_assumed = !sure;
    }
  return list;
}

/// The list of the network, without its shoots.
RouteBudget empty_list(const effective::RouteQuota& usual, const DeclaredList& declared,
                       const Inventory& inventory) {
  const std::int64_t others = declared.other_routes.value_or(usual.own_routes);
  RouteBudget budget{.holder = usual.holder, .minimum = others, .maximum = others};
  const auto set = inventory.route_quotas.find(usual.provider);
  if (declared.quota) {
    budget.quota = declared.quota;
    budget.quota_source = declared.quota_source;
    budget.quota_assumed = declared.quota_assumed;
  } else if (set != inventory.route_quotas.end()) {
    budget.quota = set->second;
    budget.quota_source = "as the landscape's settings say";
  } else if (usual.usual > 0) {
    budget.quota = usual.usual;
    budget.quota_source = usual.source;
    budget.quota_assumed = true;
  }
  return budget;
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
  const bool now = budget.lack().first > 0;
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

std::pair<std::int64_t, std::int64_t> RouteBudget::lack() const {
  const auto beyond = [&](std::int64_t routes) {
    return std::max<std::int64_t>(routes - quota.value_or(routes), 0);
  };
  return beyond(minimum) > 0 ? std::pair(beyond(minimum), std::int64_t{0})
                             : std::pair(std::int64_t{0}, beyond(maximum));
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
      budgets.push_back(empty_list(*effective::route_quota(shoot.provider),
                                   declared_of(position, inventory, positions), inventory));
      budgets.back().routing_domain = positions.domains[position.domain].key;
      firsts.push_back({&shoot, position.domain});
    }
    RouteBudget& budget = budgets[known.at(position.list)];
    budget.shoots.push_back(shoot.name());
    budget.minimum += shoot.nodes.minimum * routes_of_node(shoot) + shoot.other_routes;
    budget.maximum += shoot.nodes.maximum * routes_of_node(shoot) + shoot.other_routes;
  }
  for (std::size_t i = 0; i < budgets.size(); ++i)
    if (budgets[i].lack() > std::pair<std::int64_t, std::int64_t>())
      budgets[i].finding = std::make_shared<const Finding>(exceeded(budgets[i], *firsts[i].shoot));
  sort_by(budgets, [&](std::size_t i) {
    return std::tuple(-budgets[i].fullness(), -budgets[i].maximum, firsts[i].domain);
  });
  return budgets;
}

}  // namespace overlane::overlap
