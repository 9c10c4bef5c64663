#include "scenarios/migration/inputs/transition.h"

#include "topologies/cni/extension/profile.h"

namespace overlane::migration {
namespace {

using effective::CloudRoutes;
using effective::EffectiveDataplane;
using node::PeerRoute;

/// The routes to all nodes' pods, node by node.
std::vector<PodRoute> all_routes_of(const EffectiveDataplane& shoot,
                                    const compile::Compiled& states) {
  std::vector<PodRoute> routes;
  for (std::uint32_t node = 0; node < states.nodes.size(); ++node) {
    const std::vector<PodRoute> of_node = routes_of(shoot, states, node);
    routes.insert(routes.end(), of_node.begin(), of_node.end());
  }
  return routes;
}

}  // namespace

std::vector<PodRoute> routes_of(const EffectiveDataplane& shoot, const compile::Compiled& states,
                                std::uint32_t node) {
  std::vector<PodRoute> routes;
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const effective::Dataplane* dataplane = shoot.dataplane_of(family);
    const node::MemberAddresses* addresses = states.nodes[node].member().in(family);
    if (dataplane == nullptr || addresses == nullptr) continue;
    if (dataplane->cloud_routes != CloudRoutes::Written) continue;
    for (std::uint32_t table = 0; table < states.fabric.route_tables.size(); ++table)
      routes.push_back({table,
                        addresses->pod_cidr,
                        {.target = node::FabricTarget::Instance,
                         .instance = node,
                         .owner = node::FabricRouteOwner::RouteController}});
  }
  return routes;
}

std::string_view to_string(BeyondSubnet beyond) {
  return beyond == BeyondSubnet::Gateway ? "gateway" : "unreachable";
}

std::string_view mode_name(const effective::Dataplane& dataplane) {
  return dataplane.mode == effective::Mode::Routed ? to_string(dataplane.mode)
                                                   : to_string(dataplane.encapsulation);
}

bool has_route(const node::FabricState& fabric, const PodRoute& route) {
  const node::FabricRoute* there = fabric.route_tables[route.table].routes.find(route.pod_cidr);
  return there != nullptr && *there == route.route;
}

void announce_by_bgp(const compile::Compiled& states, std::uint32_t node,
                     node::WorldEditor& world) {
  const auto is_announced = [](const node::FabricRoute* route) {
    return route != nullptr && route->owner == node::FabricRouteOwner::Bgp;
  };
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const node::MemberAddresses* addresses = states.nodes[node].member().in(family);
    if (addresses == nullptr) continue;
    for (std::uint32_t table = 0; table < states.fabric.route_tables.size(); ++table) {
      const node::FabricRoute* route =
          states.fabric.route_tables[table].routes.find(addresses->pod_cidr);
      const auto& routes_now = world.world().fabric.route_tables[table].routes;
      if (is_announced(route))
        world.fabric().set_route(table, addresses->pod_cidr, *route);
      else if (is_announced(routes_now.find(addresses->pod_cidr)))
        world.fabric().remove_route(table, addresses->pod_cidr);
    }
  }
}

std::shared_ptr<const node::ClusterTable> Transition::without_tunnel() const {
  auto table = std::make_shared<node::ClusterTable>(*from.nodes.front().cluster);
  node::PeerRoutes& routes = table->ipv4;
  routes.same_subnet = {.via = PeerRoute::Via::NodeAddress,
                        .device = cni::kUplink,
                        .protocol = node::RouteProtocol::Bird};
  routes.other_subnet = {};
  if (beyond_subnet == BeyondSubnet::Unreachable)
    routes.other_subnet = {.via = PeerRoute::Via::Unreachable,
                           .protocol = node::RouteProtocol::Bird};
  if (provider::profile_of(before.provider).machines.host_addresses)
    routes.same_subnet = routes.other_subnet;  // No node is a neighbour of another.
  return table;
}

std::shared_ptr<const node::ClusterTable> Transition::without_routes() const {
  auto table = std::make_shared<node::ClusterTable>(*from.nodes.front().cluster);
  table->ipv4 = {};
  return table;
}

std::vector<PodRoute> missing_routes(const Transition& transition) {
  std::vector<PodRoute> routes = all_routes_of(transition.after, transition.to);
  std::erase_if(routes, [&](const PodRoute& route) {
    return route.route.instance >= transition.nodes_at_start() ||
           has_route(transition.from.fabric, route);
  });
  return routes;
}

std::vector<PodRoute> unneeded_routes(const Transition& transition) {
  std::vector<PodRoute> routes = all_routes_of(transition.before, transition.from);
  std::erase_if(routes,
                [&](const PodRoute& route) { return has_route(transition.to.fabric, route); });
  return routes;
}

}  // namespace overlane::migration
