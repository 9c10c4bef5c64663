#include "topologies/overlap/search/comparison_scope.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace overlane::overlap {
namespace {

void add_declared(const std::vector<domains::DeclaredRange>& declared, std::string_view fallback,
                  const Position& position, Scene& scene) {
  if (declared.empty()) return;
  Party party{.position = position};
  for (const domains::DeclaredRange& range : declared) {
    party.ranges.push_back({.cidr = range.cidr, .role = Role::Declared, .place = range.place});
    party.owners.emplace_back(range.purpose.empty() ? fallback : range.purpose);
  }
  scene.parties.push_back(std::move(party));
}

/// The shoots and the declared networks.
void add_members(const std::vector<std::uint32_t>& shoots,
                 const std::vector<std::uint32_t>& networks, const Inventory& inventory,
                 const Positions& positions, Scene& scene) {
  for (const std::uint32_t i : shoots)
    scene.parties.push_back({.position = positions.shoots[i], .shoot = &inventory.shoots[i]});
  if (!shoots.empty()) scene.scope.provider = inventory.shoots[shoots.front()].provider;
  for (const std::uint32_t i : networks) {
    const domains::Network& network = inventory.declared.networks[i];
    add_declared(network.ranges, to_string(network.ref), positions.networks[i], scene);
  }
}

/// Once the parties stay where they are.
void add_claims(Scene& scene) {
  for (std::uint32_t p = 0; p < scene.parties.size(); ++p) {
    const Party& party = scene.parties[p];
    for (const Range& range : party.shoot != nullptr ? party.shoot->ranges : party.ranges)
      scene.claims.push_back(
          {&range, party.position, p, party.shoot != nullptr && party.shoot->asked_about});
  }
}

bool can_hold_pairs(const Scene& scene) {
  const auto is_shoot = [](const Party& party) { return party.shoot != nullptr; };
  return scene.parties.size() > 1 && std::ranges::any_of(scene.parties, is_shoot);
}

Scene scene_of(const Domain& domain, const Inventory& inventory, const Positions& positions) {
  Scene scene;
  scene.key = domain.key;
  add_members(domain.shoots, domain.declared, inventory, positions, scene);
  const auto has_one_list = [&](std::uint32_t i) {
    return inventory.shoots[i].route_list == RouteList::Network;
  };
  if (std::ranges::any_of(domain.shoots, has_one_list)) scene.scope.if_same = Meeting::OneRouteList;
  return scene;
}

Scene scene_of(const domains::Connection& connection, const Joined& joined,
               const Inventory& inventory, const Positions& positions) {
  Scene scene;
  scene.key = "connection/" + connection.name;
  scene.scope.is_connection = true;
  if (connection.carries_pod_routes) scene.scope.connected = Meeting::ConnectedForPods;
  add_members(joined.shoots, joined.declared, inventory, positions, scene);
  // What is reached over it is in none of the networks.
  constexpr std::uint32_t kElsewhere = ~std::uint32_t{0};
  // Of several networks that have one name it joins one: they are one side, and not for sure.
  for (Party& party : scene.parties) {
    Position& position = party.position;
    position.project_known =
        std::ranges::find(joined.unclear, position.domain) == joined.unclear.end();
    if (!position.project_known) position.network = kElsewhere - 1 - position.domain;
  }
  add_declared(connection.ranges, connection.name,
               {.domain = kElsewhere,
                .network = kElsewhere,
                .tables = kElsewhere,
                .list = kElsewhere,
                .project_known = true},
               scene);
  return scene;
}

}  // namespace

std::string Party::owner_of(const Range& range) const {
  return shoot != nullptr ? shoot->name()
                          : owners[static_cast<std::size_t>(&range - ranges.data())];
}

std::vector<Scene> scenes(const Inventory& inventory, const Positions& positions) {
  std::vector<Scene> scenes;
  const auto add = [&](Scene scene) {
    if (can_hold_pairs(scene)) scenes.push_back(std::move(scene));
  };
  for (const Domain& domain : positions.domains)
    if (domain.shoots.size() + domain.declared.size() > 1)
      add(scene_of(domain, inventory, positions));
  for (std::size_t i = 0; i < positions.connections.size(); ++i)
    add(scene_of(inventory.declared.connections[i], positions.connections[i], inventory,
                 positions));
  for (Scene& scene : scenes)
    add_claims(scene);
  return scenes;
}

}  // namespace overlane::overlap
