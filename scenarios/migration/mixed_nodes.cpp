#include "scenarios/migration/mixed_nodes.h"

#include "topologies/cni/extension/profile.h"

namespace overlane::migration {
namespace {

IpPrefix pods_of(const node::World& world, std::uint32_t node) {
  return world.nodes[node].member().ipv4->pod_cidr;
}

/// The route that BIRD of the old node wrote to a peer, if it wrote one.
std::optional<node::Route> route_of(OldRoute kind, const node::NodeState& old,
                                    const node::Member& peer) {
  node::Route plain{
      .device = cni::kUplink, .via = peer.ipv4->node, .protocol = node::RouteProtocol::Bird};
  switch (kind) {
    case OldRoute::Tunnel:
    case OldRoute::None:
      return std::nullopt;
    case OldRoute::Neighbour:
      return plain;
    case OldRoute::Gateway:
      plain.via = node::lookup(old, peer.ipv4->node)->route.via;
      return plain;
    case OldRoute::Onlink:
      plain.onlink = true;
      return plain;
    case OldRoute::Unreachable:
      return node::Route{.kind = node::RouteKind::Unreachable,
                         .protocol = node::RouteProtocol::Bird};
  }
  return std::nullopt;
}

}  // namespace

std::vector<MixedCase> mixed_cases() {
  std::vector<MixedCase> cases;
  for (const bool to_new : {true, false})
    for (const auto& [name, route] : kOldRoutes)
      for (const bool new_has_tunnel : {true, false})
        for (const bool has_cloud_route : {true, false})
          for (std::uint8_t rp_filter = 0; rp_filter <= 2; ++rp_filter)
            cases.push_back({route, to_new, new_has_tunnel, has_cloud_route, rp_filter});
  return cases;
}

MixedWorld mixed_world(const Transition& transition, const MixedCase& mixed) {
  MixedWorld result{.world = {transition.from.nodes, transition.from.fabric}};
  node::World& world = result.world;
  constexpr std::uint32_t kOld = 0;
  const std::uint32_t fresh = mixed.route == OldRoute::Neighbour ? 2 : 1;
  result.from = mixed.to_new ? kOld : fresh;
  result.to = mixed.to_new ? fresh : kOld;

  node::WorldEditor editor(world);
  node::NodeEditor& old = editor.node(kOld);
  if (mixed.route != OldRoute::Tunnel) {
    old.remove_route(pods_of(world, fresh));
    if (const auto route = route_of(mixed.route, old.state(), world.nodes[fresh].member()))
      old.set_route(pods_of(world, fresh), *route);
  }
  editor.node(fresh).remove_route(pods_of(world, kOld));
  if (!mixed.new_has_tunnel) editor.node(fresh).remove_device("tunl0");
  for (const std::uint32_t node : {kOld, fresh}) {
    const std::vector<node::Device> devices = world.nodes[node].devices;
    for (node::Device device : devices) {
      device.rp_filter = mixed.rp_filter;
      editor.node(node).set_device(std::move(device));
    }
  }
  if (mixed.has_cloud_route)
    for (std::uint32_t table = 0; table < world.fabric.route_tables.size(); ++table)
      editor.fabric().set_route(table, pods_of(world, result.to),
                                {.target = node::FabricTarget::Instance,
                                 .instance = result.to,
                                 .owner = node::FabricRouteOwner::RouteController});
  return result;
}

}  // namespace overlane::migration
