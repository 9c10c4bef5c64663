#include "topologies/overlap/pairs/comparison_scope.h"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

namespace overlane::overlap {
namespace {

void add_declared(const std::vector<domains::DeclaredRange>& declared, std::string_view fallback,
                  const RoutingScope& routing_scope, ComparisonScope& comparison_scope) {
  if (declared.empty()) return;
  ComparedOwner owner{.routing_scope = routing_scope};
  for (const domains::DeclaredRange& range : declared) {
    owner.ranges.push_back({.cidr = range.cidr, .role = Role::Declared, .place = range.place});
    owner.owners.emplace_back(range.purpose.empty() ? fallback : range.purpose);
  }
  comparison_scope.owners.push_back(std::move(owner));
}

void add_members(const std::vector<std::uint32_t>& shoots,
                 const std::vector<std::uint32_t>& networks, const Inventory& inventory,
                 const RoutingScopes& routing_scopes, ComparisonScope& comparison_scope) {
  for (const std::uint32_t i : shoots)
    comparison_scope.owners.push_back(
        {.routing_scope = routing_scopes.shoots[i], .shoot = &inventory.shoots[i]});
  if (!shoots.empty()) comparison_scope.scope.provider = inventory.shoots[shoots.front()].provider;
  for (const std::uint32_t i : networks) {
    const domains::DeclaredNetwork& network = inventory.declared.networks[i];
    add_declared(network.ranges, to_string(network.ref), routing_scopes.networks[i],
                 comparison_scope);
    add_declared(network.foreign_routes, "a route of " + to_string(network.ref),
                 routing_scopes.networks[i], comparison_scope);
  }
}

/// Entries point into the owners, which must not move any more.
void add_entries(ComparisonScope& comparison_scope) {
  for (std::uint32_t p = 0; p < comparison_scope.owners.size(); ++p) {
    const ComparedOwner& owner = comparison_scope.owners[p];
    for (const Range& range : owner.shoot != nullptr ? owner.shoot->ranges : owner.ranges)
      comparison_scope.entries.push_back(
          {&range, owner.routing_scope, p, owner.shoot != nullptr && owner.shoot->asked_about});
  }
}

bool can_hold_pairs(const ComparisonScope& comparison_scope) {
  const auto is_shoot = [](const ComparedOwner& owner) { return owner.shoot != nullptr; };
  return comparison_scope.owners.size() > 1 &&
         std::ranges::any_of(comparison_scope.owners, is_shoot);
}

ComparisonScope scope_of(const Domain& domain, const Inventory& inventory,
                         const RoutingScopes& routing_scopes) {
  ComparisonScope comparison_scope;
  comparison_scope.key = domain.key;
  add_members(domain.shoots, domain.declared, inventory, routing_scopes, comparison_scope);
  const auto has_one_route_table = [&](std::uint32_t i) {
    return inventory.shoots[i].route_table == RouteTableScope::Network;
  };
  if (std::ranges::any_of(domain.shoots, has_one_route_table))
    comparison_scope.scope.if_same = NetworkRelation::OneRouteTable;
  return comparison_scope;
}

ComparisonScope scope_of(const domains::Connection& connection, const JoinedNetworks& joined,
                         const Inventory& inventory, const RoutingScopes& routing_scopes) {
  ComparisonScope comparison_scope;
  comparison_scope.key = "connection/" + connection.name;
  comparison_scope.scope.is_connection = true;
  if (connection.carries_pod_routes)
    comparison_scope.scope.connected = NetworkRelation::ConnectedForPods;
  add_members(joined.shoots, joined.declared, inventory, routing_scopes, comparison_scope);
  // Declared ranges of a connection belong to none of its networks.
  constexpr std::uint32_t kElsewhere = ~std::uint32_t{0};
  // The connection joins one of several networks of the same name: treat them as one, not as sure.
  for (ComparedOwner& owner : comparison_scope.owners) {
    RoutingScope& routing_scope = owner.routing_scope;
    routing_scope.project_known =
        std::ranges::find(joined.unclear, routing_scope.domain) == joined.unclear.end();
    if (!routing_scope.project_known) routing_scope.network = kElsewhere - 1 - routing_scope.domain;
  }
  add_declared(connection.ranges, connection.name,
               {.domain = kElsewhere,
                .network = kElsewhere,
                .possible_table = kElsewhere,
                .route_table = kElsewhere,
                .project_known = true},
               comparison_scope);
  return comparison_scope;
}

}  // namespace

std::string ComparedOwner::owner_of(const Range& range) const {
  if (shoot != nullptr) return shoot->name();
  const auto number = static_cast<std::size_t>(&range - ranges.data());
  assert(number < owners.size());
  return owners[number];
}

std::vector<ComparisonScope> comparison_scopes(const Inventory& inventory,
                                               const RoutingScopes& routing_scopes) {
  std::vector<ComparisonScope> comparison_scopes;
  const auto add = [&](ComparisonScope comparison_scope) {
    if (can_hold_pairs(comparison_scope)) comparison_scopes.push_back(std::move(comparison_scope));
  };
  for (const Domain& domain : routing_scopes.domains)
    if (domain.shoots.size() + domain.declared.size() > 1)
      add(scope_of(domain, inventory, routing_scopes));
  for (std::size_t i = 0; i < routing_scopes.connections.size(); ++i)
    add(scope_of(inventory.declared.connections[i], routing_scopes.connections[i], inventory,
                 routing_scopes));
  for (ComparisonScope& comparison_scope : comparison_scopes)
    add_entries(comparison_scope);
  return comparison_scopes;
}

Comparison::Comparison(Inventory all)
    : inventory(std::move(all)),
      routing_scopes(locate(inventory)),
      comparison_scopes(overlap::comparison_scopes(inventory, routing_scopes)) {}

}  // namespace overlane::overlap
