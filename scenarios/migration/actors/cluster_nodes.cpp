#include "scenarios/migration/actors/cluster_nodes.h"

#include <fmt/format.h>

namespace overlane::migration {

using effective::CloudRoutes;

/// Where the DaemonSet changes one reconciliation later, new pods follow the configuration.
bool ClusterNodes::joins_in_the_new_mode() const {
  return transition_.cni().rolls_next_time ? objects_.network_applied_at.has_value()
                                           : objects_.daemon_set_changed_at.has_value();
}

bool ClusterNodes::has_old_route_controller() const {
  return !objects_.control_plane_ready_at &&
         transition_.before.dataplane.cloud_routes == CloudRoutes::Written;
}

std::string ClusterNodes::join(node::WorldEditor& world, std::uint32_t node, Picos now) {
  using Reason = NetworkCondition::Reason;
  const bool is_new = joins_in_the_new_mode();
  world.start_node(node);
  if (has_old_route_controller())
    for (const PodRoute& route : routes_of(transition_.before, transition_.from, node))
      world.fabric().set_route(route.table, route.pod_cidr, route.route);
  if (transition_.moves_to_interfaces() && objects_.control_plane_ready_at)
    world.fabric().set_instance(node, transition_.to.fabric.instances[node]);
  // calico-node with BIRD says that the node is available, whatever the cloud's routes.
  const bool has_bird = is_new ? transition_.has_bird_afterwards() : transition_.has_bird_before();
  const bool waits_for_route = objects_.control_plane_ready_at && !has_bird &&
                               transition_.after.dataplane.cloud_routes == CloudRoutes::Written;
  objects_.join(node, waits_for_route ? Reason::NoRouteCreated : Reason::AgentIsUp, now);
  objects_.old_agents[node] = !is_new;
  if (is_new) {
    for (const node::LocalPod& pod : transition_.to.nodes[node].pods)
      world.node(node).set_pod(pod);  // With the new mode's MTU.
    objects_.note(now, std::string(transition_.cni().daemon_set),
                  pod_.start_on_new_node(world, node, now));
  } else {
    announce_pods(world, node);
  }
  return fmt::format("{} joins, in the {} mode", world.world().nodes[node].member().name,
                     is_new ? "new" : "old");
}

void ClusterNodes::leave(node::WorldEditor& world, std::uint32_t node, Picos now) {
  world.stop_node(node);
  objects_.leave(node, now);
  if (has_old_route_controller())
    for (const PodRoute& route : routes_of(transition_.before, transition_.from, node))
      world.fabric().remove_route(route.table, route.pod_cidr);
}

}  // namespace overlane::migration
