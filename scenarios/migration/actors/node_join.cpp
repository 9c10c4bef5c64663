#include "scenarios/migration/actors/node_join.h"

#include <fmt/format.h>

namespace overlane::migration {

/// Where the DaemonSet changes one reconciliation later, new pods follow the configuration.
bool NodeJoin::joins_in_the_new_mode() const {
  return transition_.cni().rolls_next_time ? objects_.network_applied_at.has_value()
                                           : objects_.daemon_set_changed_at.has_value();
}

void NodeJoin::act(node::WorldEditor& world, Picos now) {
  at_.reset();
  const std::uint32_t node = *transition_.joining;
  const bool is_new = joins_in_the_new_mode();
  world.start_node(node);
  objects_.absent_node.reset();
  objects_.node_joined_at = now;
  objects_.note(now, "cluster-autoscaler",
                fmt::format("{} joins, in the {} mode", world.world().nodes[node].member().name,
                            is_new ? "new" : "old"));
  if (transition_.after.dataplane.cloud_routes == effective::CloudRoutes::Written)
    objects_.set_condition(node, NetworkCondition::Reason::NoRouteCreated, now);
  // The route controller from before still runs.
  if (!objects_.control_plane_ready_at)
    for (const PodRoute& route : routes_of(transition_.before, transition_.from, node))
      world.fabric().set_route(route.table, route.pod_cidr, route.route);
  objects_.old_agents[node] = !is_new;
  if (is_new) {
    objects_.note(now, std::string(transition_.cni().daemon_set),
                  pod_.start_on_new_node(world, node, now));
  } else {
    announce_pods(world, node);
  }
}

}  // namespace overlane::migration
