#include "scenarios/migration/actors/nodes.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "results/base/text.h"

namespace overlane::migration {

using effective::CloudRoutes;

/// If the DaemonSet changes one reconciliation later, new pods follow the configuration.
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
  // calico-node with BIRD marks the node as available, independently of the cloud's routes.
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

namespace {

constexpr auto kName = "machine-controller-manager";

}  // namespace

std::optional<std::uint32_t> MachineController::unhealthy() const {
  std::optional<std::uint32_t> longest;
  for (const std::uint32_t node : objects_.unavailable_nodes)
    if (!was_replaced_[node] && objects_.takes_pods(node) &&
        (!longest || objects_.conditions[node].since < objects_.conditions[*longest].since))
      longest = node;
  return longest;
}

std::optional<Picos> MachineController::next() const {
  if (deletion_) return deletion_->at;
  const std::optional<std::uint32_t> node = unhealthy();
  if (!node) return std::nullopt;
  return std::max(free_since_, objects_.conditions[*node].since + timing_.machine_health_timeout);
}

void MachineController::act(node::WorldEditor& world, Picos now) {
  const auto name = [&](std::uint32_t node) { return world.world().nodes[node].member().name; };
  if (deletion_) {
    const std::uint32_t node = deletion_->node;
    objects_.note(now, kName, fmt::format("{} is deleted", name(node)));
    objects_.replaced_nodes.push_back(node);
    objects_.node_deleted_at = now;
    objects_.set_condition(node, NetworkCondition::Reason::AgentIsUp, now);
    deletion_.reset();
    free_since_ = now + Picos{1};
    return;
  }
  const std::uint32_t node = *unhealthy();
  was_replaced_[node] = true;
  deletion_ = {now + timing_.machine_deletion, node};
  objects_.note(now, kName,
                fmt::format("replaces the machine of {}: its pods are evicted", name(node)));
}

namespace {

/// Time between two checks of a new node.
constexpr Picos kPeriod = seconds(10);

}  // namespace

void WorkerRoll::create(Picos now) {
  phase_ = Phase::Creating;
  created_at_ = now;
  next_ = now + timing_.machine_creation;
}

void WorkerRoll::act(node::WorldEditor& world, Picos now) {
  const std::uint32_t joining = count_ + replaced_;
  const auto name = [&](std::uint32_t node) { return world.world().nodes[node].member().name; };
  switch (phase_) {
    case Phase::Waiting:
      objects_.note(now, "gardenlet", "has all machines replaced, one after another");
      return create(now);
    case Phase::Creating:
      objects_.note(now, kName, nodes_.join(world, joining, now));
      phase_ = Phase::Joining;
      next_ = now + kPeriod;
      return;
    case Phase::Joining:
      if (!objects_.takes_pods(joining)) {
        next_ = now + kPeriod;
        if (*next_ <= created_at_ + timing_.machine_creation_timeout) return;
        objects_.note(now, kName, fmt::format("{} takes no pods: stops", name(joining)));
        objects_.stuck_node = joining;
        next_.reset();
        return;
      }
      objects_.note(now, kName, fmt::format("drains {}", name(replaced_)));
      phase_ = Phase::Draining;
      next_ = now + timing_.machine_deletion;
      return;
    case Phase::Draining:
      objects_.note(now, kName, fmt::format("{} is deleted", name(replaced_)));
      nodes_.leave(world, replaced_, now);
      if (++replaced_ < count_) return create(now);
      next_.reset();
      return;
  }
}

void Hibernation::act(node::WorldEditor& world, Picos now) {
  constexpr auto kGardenletName = "gardenlet";
  constexpr auto kMachines = "machine-controller-manager";
  switch (phase_) {
    case Phase::Waiting:
      objects_.note(now, kGardenletName, "hibernates the shoot: all machines are drained");
      phase_ = Phase::Draining;
      next_ = now + timing_.machine_deletion;
      return;
    case Phase::Draining:
      objects_.note(now, kMachines, counted(count_, "node") + " are deleted");
      for (std::uint32_t node = 0; node < count_; ++node)
        nodes_.leave(world, node, now);
      phase_ = Phase::Asleep;
      next_ = now + timing_.hibernation;
      return;
    case Phase::Asleep:
      objects_.note(now, kGardenletName, "wakes the shoot up: ControlPlane and Network first");
      phase_ = Phase::Creating;
      next_ = now + timing_.until_network() + timing_.machine_creation;
      return;
    case Phase::Creating:
      for (std::uint32_t node = count_; node < 2 * count_; ++node)
        objects_.note(now, kMachines, nodes_.join(world, node, now));
      next_.reset();
      return;
  }
}

}  // namespace overlane::migration
