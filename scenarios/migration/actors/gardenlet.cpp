#include "scenarios/migration/actors/gardenlet.h"

#include <algorithm>

#include <fmt/format.h>

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

}  // namespace overlane::migration
