#include "scenarios/migration/actors/calico_node.h"

namespace overlane::migration {

void CalicoNode::drop_tunnel_from_routes(node::WorldEditor& world, std::uint32_t node) const {
  world.node(node).set_cluster(without_tunnel_);
}

void CalicoNode::clean_up_routes(node::WorldEditor& world, std::uint32_t node) const {
  node::NodeEditor& editor = world.node(node);
  editor.set_cluster(without_routes_);
  editor.remove_route(pod_cidr(node));
}

void CalicoNode::start_felix(node::WorldEditor& world, std::uint32_t node) const {
  node::NodeEditor& editor = world.node(node);
  for (const node::Device& device : transition_.to.nodes[node].devices)
    editor.set_device(device);
  editor.set_filter(transition_.to.nodes[node].filter);
}

void CalicoNode::start_bird(node::WorldEditor& world, std::uint32_t node) const {
  const node::NodeState& target = transition_.to.nodes[node];
  if (const node::Route* black_hole = target.routes.find(pod_cidr(node)))
    world.node(node).set_route(pod_cidr(node), *black_hole);
}

void CalicoNode::connect(node::WorldEditor& world, std::uint32_t a, std::uint32_t b) const {
  for (const auto& [node, peer] : {std::pair{a, b}, std::pair{b, a}}) {
    const auto route = node::derived_route(transition_.to.nodes[node], pod_cidr(peer));
    if (route) world.node(node).set_route(pod_cidr(peer), route->route);
  }
}

void CalicoNode::connect_to_all(node::WorldEditor& world, std::uint32_t node) const {
  node::NodeEditor& editor = world.node(node);
  editor.set_cluster(transition_.to.nodes[node].cluster);
  for (std::uint32_t peer = 0; peer < transition_.nodes(); ++peer)
    if (const auto route = node::derived_route(editor.state(), pod_cidr(peer)))
      editor.set_route(pod_cidr(peer), route->route);
}

}  // namespace overlane::migration
