#include "scenarios/migration/actors/gardenlet.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/base/text.h"

namespace overlane::migration {

bool Gardenlet::all_routes_are_confirmed() const {
  for (std::uint32_t node = 0; node < objects_.conditions.size(); ++node)
    if (objects_.is_present(node) &&
        objects_.conditions[node].reason != NetworkCondition::Reason::RouteCreated)
      return false;
  return true;
}

Picos Gardenlet::next_network(Picos now) const {
  const Picos by_itself = now + timing_.next_reconcile;
  if (!later_change_ || *later_change_ > by_itself) return by_itself;
  return std::max(now, *later_change_) + timing_.until_network();
}

void Gardenlet::act(node::WorldEditor& /*world*/, Picos now) {
  constexpr auto kName = "gardenlet";
  switch (phase_) {
    case Phase::Waiting:
      objects_.note(now, kName, "reconciles the Shoot: ControlPlane first");
      phase_ = Phase::ControlPlane;
      next_ = now + timing_.control_plane;
      return;
    case Phase::ControlPlane:
      objects_.control_plane_ready_at = now;
      objects_.note(now, kName, "ControlPlane is ready: the Network follows");
      phase_ = Phase::Network;
      next_ = now + timing_.network;
      return;
    case Phase::Network:
      if (gate_ == Gate::NodeRoutes && !all_routes_are_confirmed()) {
        next_ = now + timing_.gate_retry;
        return;
      }
      objects_.network_applied_at = now;
      next_.reset();
      if (cni_.rolls_next_time) {
        objects_.note(now, kName, fmt::format("{} is changed", cni_.configuration));
        phase_ = Phase::NextTime;
        next_ = next_network(now);
        return;
      }
      objects_.note(
          now, kName,
          fmt::format("{} are changed, and the DaemonSet {}", cni_.configuration, cni_.daemon_set));
      objects_.daemon_set_changed_at = now;
      return;
    case Phase::NextTime:
      objects_.note(now, kName,
                    fmt::format("reconciles again: the DaemonSet {} is changed", cni_.daemon_set));
      objects_.daemon_set_changed_at = now;
      next_.reset();
      return;
  }
}

namespace {

constexpr auto kGardenlet = "gardenlet";
constexpr auto kInfrastructure = "infrastructure controller";

}  // namespace

std::optional<Picos> DualStackReconciliation::next() const {
  if (phase_ == Phase::Done) return std::nullopt;
  if (phase_ != Phase::Nodes) return next_;
  if (objects_.nodes_left.size() < transition_.nodes_at_start()) return std::nullopt;
  return objects_.nodes_left.back().at + timing_.next_reconcile;
}

void DualStackReconciliation::act(node::WorldEditor& world, Picos now) {
  switch (phase_) {
    case Phase::Waiting:
      objects_.note(now, kGardenlet, "reconciles the Shoot: infrastructure first");
      phase_ = transition_.moves_to_interfaces() ? Phase::Routes : Phase::ControlPlane;
      next_ = now +
              (transition_.moves_to_interfaces() ? timing_.route_operation : timing_.control_plane);
      return;
    case Phase::Routes:
      replace_routes(world, now);
      phase_ = Phase::Interfaces;
      next_ = now + timing_.alias_operation;
      return;
    case Phase::Interfaces:
      world.fabric().set_instance(interfaces_, transition_.to.fabric.instances[interfaces_]);
      objects_.note(now, kInfrastructure,
                    fmt::format("the interface of {} has its pod CIDR",
                                world.world().nodes[interfaces_].member().name));
      next_ = now + timing_.alias_operation;
      if (++interfaces_ < transition_.nodes_at_start()) return;
      phase_ = Phase::ControlPlane;
      next_ = now + timing_.control_plane;
      return;
    case Phase::ControlPlane:
      objects_.control_plane_ready_at = now;
      objects_.note(now, kGardenlet, "DualStackNodesMigrationReady: all nodes have to be replaced");
      objects_.roll_asked_at = now + timing_.operator_reaction;
      phase_ = transition_.becomes_dual_stack() ? Phase::Nodes : Phase::Network;
      next_ = now + timing_.network;
      return;
    case Phase::Nodes:
    case Phase::Network:
      objects_.network_applied_at = now;
      objects_.note(now, kGardenlet,
                    fmt::format("{} changed: {}", transition_.cni().configuration,
                                fmt::join(transition_.after.ip_families, " and ")));
      if (!transition_.cni().rolls_next_time) return change_daemon_set(now);
      phase_ = Phase::NextTime;
      next_ = now + timing_.next_reconcile;
      return;
    case Phase::NextTime:
      return change_daemon_set(now);
    case Phase::Done:
      return;
  }
}

void DualStackReconciliation::replace_routes(node::WorldEditor& world, Picos now) {
  std::size_t deleted = 0;
  for (std::uint32_t node = 0; node < transition_.nodes_at_start(); ++node)
    for (const PodRoute& route : routes_of(transition_.before, transition_.from, node))
      deleted += world.fabric().remove_route(route.table, route.pod_cidr);
  const auto& tables = transition_.to.fabric.route_tables;
  for (std::uint32_t table = 0; table < tables.size(); ++table)
    for (const auto& [destination, route] : tables[table].routes)
      if (route.owner != node::FabricRouteOwner::RouteController)
        world.fabric().set_route(table, destination, route);
  objects_.note(now, kInfrastructure,
                counted(deleted, "route") +
                    " to pods are deleted, and the subnet gets the pods' range as a second one");
}

void DualStackReconciliation::change_daemon_set(Picos now) {
  objects_.daemon_set_changed_at = now;
  objects_.note(now, kGardenlet,
                fmt::format("the DaemonSet {} is changed", transition_.cni().daemon_set));
  phase_ = Phase::Done;
}

}  // namespace overlane::migration
