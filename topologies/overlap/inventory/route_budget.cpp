#include "topologies/overlap/inventory/route_budget.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "results/base/text.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/overlap/inventory/rules.h"
#include "topologies/provider/profile.h"
#include "topologies/ranges/sorting.h"

namespace overlane::overlap {

namespace {

/// Declarations about a network's route table, under any name of the network.
struct DeclaredQuota {
  std::optional<std::int64_t> quota;
  SourceLocation quota_place;
  bool quota_assumed = false;  ///< The declaration may be about another network with the same name.
  std::optional<std::int64_t> other_routes;
  std::int64_t foreign_routes = 0;
};

DeclaredQuota declared_of(const RoutingScope& routing_scope, const Inventory& inventory,
                          const RoutingScopes& routing_scopes) {
  DeclaredQuota declared;
  for (const bool sure : {true, false})
    for (const std::uint32_t i : routing_scopes.domains[routing_scope.domain].declared) {
      const RoutingScope& its = routing_scopes.networks[i];
      if (sure ? its.network != routing_scope.network : its.project_known) continue;
      const domains::DeclaredNetwork& network = inventory.declared.networks[i];
      if (declared.foreign_routes == 0)
        declared.foreign_routes = static_cast<std::int64_t>(network.foreign_routes.size());
      if (!declared.other_routes && network.says_other_routes)
        declared.other_routes = network.other_routes;
      if (declared.quota || !network.route_quota) continue;
      declared.quota = network.route_quota;
      declared.quota_place = network.place;
      declared.quota_assumed = !sure;
    }
  return declared;
}

std::string uncertainty_of(const DeclaredQuota& declared) {
  return declared.quota_assumed ? ", if the declaration means this network" : "";
}

/// A budget with the quota and the routes that do not lead to nodes, before shoots are added.
RouteBudget empty_budget(const provider::Profile& profile, const DeclaredQuota& declared,
                         const Inventory& inventory) {
  const provider::RouteQuota& usual = *profile.routes.quota;
  RouteBudget budget{
      .holder = usual.holder,
      .others = declared.other_routes.value_or(usual.own_routes) + declared.foreign_routes};
  const effective::RouteRoom room = effective::route_room(profile.provider, inventory.route_quotas);
  if (declared.quota) {
    budget.quota = declared.quota;
    budget.quota_source = declared.quota_place.to_string() + uncertainty_of(declared);
    budget.quota_assumed = declared.quota_assumed;
  } else if (room.routes > 0) {
    budget.quota = room.routes;
    budget.quota_source = room.source.text();
    budget.quota_assumed = !room.is_set;
  }
  return budget;
}

bool writes_routes(const Shoot& shoot) {
  const auto writes = [](const Range& range) {
    return range.cloud_routes == effective::CloudRoutes::Written;
  };
  return shoot.route_table != RouteTableScope::None && std::ranges::any_of(shoot.ranges, writes) &&
         provider::profile_of(shoot.provider).routes.quota.has_value();
}

/// The first shoot of a route table, and the declarations about the table.
struct First {
  const Shoot* shoot;
  std::uint32_t domain;
  DeclaredQuota declared;
};

/// "33 routes for the minimum of nodes of garden-a/one", "318 routes: 306 for the maximum of nodes
/// of 4 shoots (1 of which is not created yet), 12 others".
std::string needed_text(const RouteBudget& budget, bool by_minimum) {
  const std::int64_t all = by_minimum ? budget.minimum : budget.maximum;
  const bool is_one = budget.shoots.size() == 1;
  std::string shoots = is_one ? budget.shoots.front() : counted(budget.shoots.size(), "shoot");
  if (const std::size_t not_created = budget.not_created.size(); not_created > 0)
    shoots += is_one ? " (not created yet)"
                     : fmt::format(" ({} of which {} not created yet)", not_created,
                                   not_created == 1 ? "is" : "are");
  const std::string nodes = fmt::format(
      "for {} of {}", by_minimum ? "the minimum of nodes" : "the maximum of nodes", shoots);
  if (budget.others == 0) return fmt::format("{} routes {}", all, nodes);
  return fmt::format("{} routes: {} {}, {}", all, all - budget.others, nodes,
                     counted(static_cast<std::uint64_t>(budget.others), "other"));
}

/// The source of the quota, without the place of a declaration, which the hint names.
std::string quota_text(const RouteBudget& budget, const First& first) {
  if (first.declared.quota)
    return fmt::format("as its routeQuota declares{}", uncertainty_of(first.declared));
  if (!budget.quota_assumed) return budget.quota_source.str();
  const provider::RouteQuota& usual = *provider::profile_of(first.shoot->provider).routes.quota;
  if (usual.lowest == 0) return std::string(usual.source.text());
  return fmt::format("{}; {}: {}", usual.source.text(), usual.lowest_source.text(), usual.lowest);
}

/// Names the place that sets the quota.
std::string hint_for(const RouteBudget& budget, const First& first, bool by_minimum) {
  const std::string set =
      fmt::format("--set landscape.route-quota.{}=N or routeQuota in a RoutingDomains file",
                  to_string(first.shoot->provider));
  std::string text;
  if (first.declared.quota)
    text = fmt::format("request a higher quota and change the network's routeQuota at {}",
                       first.declared.quota_place.to_string());
  else if (budget.quota_assumed)
    text = fmt::format(
        "look up the network's quota and set it with {}; if it is too small, request a higher one",
        set);
  else
    text = fmt::format("request a higher quota and set it with {}", set);
  if (!by_minimum) text += ", lower the workers' maximum";
  // An overlay saves no routes if the controller writes them regardless of the overlay.
  return text + (provider::profile_of(first.shoot->provider).routes.follow_overlay
                     ? ", or give some of the shoots an overlay"
                     : "");
}

Finding exceeded(const RouteBudget& budget, const First& first) {
  const bool by_minimum = budget.excess().first > 0;
  const rules::Rule& broken =
      rule(by_minimum ? "domain-route-quota-by-minimum" : "domain-route-quota-by-maximum");
  return {.rule = std::string(broken.id),
          .severity = effective::route_quota_severity(by_minimum, budget.quota_assumed),
          .message = fmt::format("{}: the {} needs {}{}, but its quota is {} ({})",
                                 budget.routing_domain, budget.holder, by_minimum ? "" : "up to ",
                                 needed_text(budget, by_minimum), *budget.quota,
                                 quota_text(budget, first)),
          .object = first.shoot->object,
          .path = "spec.provider.workers",
          .place = first.shoot->place,
          .hint = hint_for(budget, first, by_minimum)};
}

}  // namespace

std::int64_t RouteBudget::fullness() const {
  return quota && *quota > 0 ? maximum * 1000 / *quota : 0;
}

bool RouteBudget::waits_for_creation() const {
  return excess().first > 0 && created_minimum <= *quota;
}

std::pair<std::int64_t, std::int64_t> RouteBudget::excess() const {
  const auto beyond = [&](std::int64_t routes) {
    return std::max<std::int64_t>(routes - quota.value_or(routes), 0);
  };
  return beyond(minimum) > 0 ? std::pair(beyond(minimum), std::int64_t{0})
                             : std::pair(std::int64_t{0}, beyond(maximum));
}

std::vector<RouteBudget> route_budgets(const Inventory& inventory,
                                       const RoutingScopes& routing_scopes) {
  std::vector<RouteBudget> budgets;
  std::unordered_map<std::uint32_t, std::size_t> known;  // Indices in `budgets`, by route table.
  std::vector<First> firsts;
  for (std::uint32_t i = 0; i < inventory.shoots.size(); ++i) {
    const Shoot& shoot = inventory.shoots[i];
    if (!writes_routes(shoot)) continue;
    const RoutingScope& routing_scope = routing_scopes.shoots[i];
    if (known.emplace(routing_scope.route_table, budgets.size()).second) {
      const DeclaredQuota declared = declared_of(routing_scope, inventory, routing_scopes);
      budgets.push_back(empty_budget(provider::profile_of(shoot.provider), declared, inventory));
      budgets.back().routing_domain = routing_scopes.domains[routing_scope.domain].key;
      budgets.back().created_minimum = budgets.back().others;
      firsts.push_back({&shoot, routing_scope.domain, declared});
    }
    RouteBudget& budget = budgets[known.at(routing_scope.route_table)];
    budget.shoots.push_back(shoot.name());
    const std::int64_t minimum = shoot.nodes.minimum * shoot.routes_per_node;
    budget.minimum += minimum;
    budget.maximum += shoot.nodes.maximum * shoot.routes_per_node;
    budget.others += shoot.other_routes;
    if (shoot.stage == effective::Stage::Live)
      budget.created_minimum += minimum + shoot.other_routes;
    else
      budget.not_created.push_back({shoot.name(), shoot.place});
  }
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    budgets[i].minimum += budgets[i].others;
    budgets[i].maximum += budgets[i].others;
    if (budgets[i].excess() > std::pair<std::int64_t, std::int64_t>())
      budgets[i].finding = std::make_shared<const Finding>(exceeded(budgets[i], firsts[i]));
  }
  ranges::sort_by(budgets, [&](std::size_t i) {
    return std::tuple(-budgets[i].fullness(), -budgets[i].maximum, firsts[i].domain);
  });
  return budgets;
}

}  // namespace overlane::overlap
