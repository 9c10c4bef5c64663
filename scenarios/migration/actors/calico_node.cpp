#include "scenarios/migration/actors/calico_node.h"

#include <fmt/format.h>

namespace overlane::migration {

CalicoNode::CalicoNode(const Transition& transition, bool protects_conditions,
                       ClusterObjects& objects)
    : transition_(transition),
      protects_conditions_(protects_conditions),
      objects_(objects),
      without_tunnel_(transition.without_tunnel()),
      without_routes_(transition.without_routes()) {
  const node::PacketFilter& before = *transition.from.nodes.front().filter;
  const node::PacketFilter& after = *transition.to.nodes.front().filter;
  auto pools = std::make_shared<node::PacketFilter>(before);
  pools->masqueraded_sources = after.masqueraded_sources;
  pools->unmasqueraded_destinations = after.unmasqueraded_destinations;
  with_new_pools_ = std::move(pools);
  if (after.masqueraded_destinations.empty() || !before.masqueraded_destinations.empty()) return;
  auto without = std::make_shared<node::PacketFilter>(after);
  without->masqueraded_destinations.clear();
  without_nameservers_ = std::move(without);
}

bool CalicoNode::pools_change_masquerading() const {
  return *with_new_pools_ != *transition_.from.nodes.front().filter;
}

std::string CalicoNode::rewrite_routes(node::WorldEditor& world, std::uint32_t node) const {
  if (!objects_.old_agents[node]) {
    connect_to_all(world, node);
    return "writes its pod routes as the target asks for";
  }
  if (transition_.to_routed()) {
    world.node(node).set_cluster(without_tunnel_);
    return "writes its pod routes without the tunnel";
  }
  world.node(node).set_cluster(without_routes_);
  return transition_.changes_ipam() ? "deletes its pod routes: those of VXLAN are Felix's"
                                    : "deletes its pod routes: it has no tunl0";
}

std::string CalicoNode::end(std::uint32_t node, Picos now) {
  if (transition_.ends_bird()) objects_.birds_ended.push_back({now, node});
  if (protects_conditions_ || !transition_.has_bird_before()) return "";
  objects_.set_condition(node, NetworkCondition::Reason::CalicoIsDown, now);
  return ", and marks the node: NetworkUnavailable, CalicoIsDown";
}

std::string CalicoNode::initialize(node::WorldEditor& world, std::uint32_t node) {
  if (!transition_.to_routed()) return "";
  node::NodeEditor& editor = world.node(node);
  editor.set_cluster(without_routes_, {});
  editor.remove_route(pod_cidr(node));
  return fmt::format("{}: cleanup-routes has run", editor.state().member().name);
}

std::string CalicoNode::start(node::WorldEditor& world, std::uint32_t node, Picos now) {
  const node::NodeState& target = transition_.to.nodes[node];
  node::NodeEditor& editor = world.node(node);
  for (const node::Device& device : target.devices)
    editor.set_device(device);
  editor.set_filter(adds_nameserver_rules() ? without_nameservers_ : target.filter);
  if (transition_.has_bird_afterwards()) {
    if (const node::Route* black_hole = target.routes.find(pod_cidr(node)))
      editor.set_route(pod_cidr(node), *black_hole);
    // With an old BIRD, a node has all routes, and keeps them while BIRD restarts.
    if (!transition_.has_bird_before())
      editor.set_cluster(target.cluster, pod_cidrs_of_peers(node));
    objects_.set_condition(node, NetworkCondition::Reason::AgentIsUp, now);
  }
  if (transition_.changes_ipam()) {
    start_vxlan(world, node);
    objects_.set_condition(node, NetworkCondition::Reason::AgentIsUp, now);
  }
  announce_by_bgp(transition_.to, node, world);
  objects_.agents_started.push_back({now, node});
  return fmt::format("{}: Felix has written the node's state", target.member().name);
}

std::string CalicoNode::start_on_new_node(node::WorldEditor& world, std::uint32_t node, Picos now) {
  const node::NodeState& target = transition_.to.nodes[node];
  node::NodeEditor& editor = world.node(node);
  for (const node::Device& device : transition_.from.nodes[node].devices)
    if (target.find_device(device.name) == nullptr) editor.remove_device(device.name);
  editor.set_cluster(without_routes_, {});
  if (target.routes.find(pod_cidr(node)) == nullptr) editor.remove_route(pod_cidr(node));
  const std::string what = start(world, node, now);
  if (transition_.changes_ipam()) {
    for (std::uint32_t peer = 0; peer < transition_.nodes(); ++peer)
      if (peer != node && objects_.is_present(peer) && !objects_.old_agents[peer])
        world.node(peer).restore_route(pod_cidr(node));
    with_blocks_.push_back(node);
  }
  return what;
}

void CalicoNode::start_vxlan(node::WorldEditor& world, std::uint32_t node) const {
  node::NodeEditor& editor = world.node(node);
  const bool had_no_time = transition_.has_bird_before() &&
                           editor.state().cluster == transition_.from.nodes[node].cluster;
  std::vector<std::pair<IpPrefix, node::Route>> stale;
  if (had_no_time)
    for (const IpPrefix& peer : pod_cidrs_of_peers(node))
      if (const auto route = node::find_route(editor.state(), peer))
        stale.emplace_back(peer, route->route);
  editor.set_cluster(transition_.to.nodes[node].cluster, pod_cidrs_of_peers(node));
  for (const auto& [peer, route] : stale)
    editor.set_route(peer, route);
  for (const std::uint32_t peer : with_blocks_)
    editor.restore_route(pod_cidr(peer));
}

std::vector<IpPrefix> CalicoNode::pod_cidrs_of_peers(std::uint32_t node) const {
  std::vector<IpPrefix> pod_cidrs;
  for (const auto& [cidr, member] : transition_.to.nodes[node].cluster->pod_cidrs())
    if (cidr.is_ipv4() && cidr != pod_cidr(node)) pod_cidrs.push_back(cidr);
  return pod_cidrs;
}

bool CalicoNode::is_ready(std::uint32_t node) const {
  return objects_.old_agents[node] || !transition_.has_bird_afterwards() ||
         objects_.sessions[node] > 0;
}

void CalicoNode::connect(node::WorldEditor& world, std::uint32_t a, std::uint32_t b) const {
  world.node(a).restore_route(pod_cidr(b));
  world.node(b).restore_route(pod_cidr(a));
}

}  // namespace overlane::migration
