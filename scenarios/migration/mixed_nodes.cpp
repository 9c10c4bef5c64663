#include "scenarios/migration/mixed_nodes.h"

#include <map>
#include <memory>

#include <fmt/format.h>

#include "topologies/cni/extension/node_compiler.h"
#include "topologies/path/reach/reachability.h"

namespace overlane::migration {
namespace {

constexpr const char* kMixedNodesHead = R"(# Nodes in the middle of a switch

Which packets arrive between two nodes of a calico shoot while it is switched from IPIP to routed pods. The *old* node has
the route to the other's pods that its calico-node pod has left so far; the *new* one's pod is replaced, and its packets
follow the default route. `rp_filter` is that of `eth0` and `tunl0` on both; the distributions set 2 (loose) for new
devices, and `net.ipv4.conf.all.rp_filter`, of which and the device's the larger one counts, is 0. "Cloud route" is that to
the receiver's pods.

Each outcome is that of `overlane trace` for these states, and a test asks Linux for every one of them: nodes of
user-mode Linux, with the fabric's decisions between them. `tools/write-docs` writes this page, and a test fails when it is
old.
)";

IpPrefix pods_of(const node::World& world, std::uint32_t node) {
  return world.nodes[node].member().ipv4->pod_cidr;
}

/// What BIRD of the old node wrote to a peer, or what is there instead.
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

std::string cell(const Transition& transition, const MixedCase& mixed) {
  const MixedWorld at = mixed_world(transition, mixed);
  const path::PairOutcome outcome = path::Reachability(at.world).outcome(at.from, at.to);
  return outcome.drop ? std::string(to_string(*outcome.drop)) : "arrives";
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

std::string mixed_nodes_page(const Transition& transition) {
  std::string text = kMixedNodesHead;
  std::vector<MixedCase> cases = mixed_cases();
  for (const bool to_new : {true, false}) {
    text += fmt::format(
        "\n## From the {} node to the {} one\n\n"
        "| old node's route | new node's `tunl0` | cloud route | rp_filter 0 | 1 (strict) | 2 "
        "(loose) "
        "|\n|---|---|---|---|---|---|\n",
        to_new ? "old" : "new", to_new ? "new" : "old");
    for (std::size_t i = 0; i < cases.size(); i += 3) {
      const MixedCase& mixed = cases[i];
      if (mixed.to_new != to_new) continue;
      const auto name = std::ranges::find(kOldRoutes, mixed.route,
                                          &std::pair<std::string_view, OldRoute>::second);
      text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", name->first,
                          mixed.new_has_tunnel ? "kept" : "removed",
                          mixed.has_cloud_route ? "present" : "absent", cell(transition, cases[i]),
                          cell(transition, cases[i + 1]), cell(transition, cases[i + 2]));
    }
  }
  return text;
}

}  // namespace overlane::migration
