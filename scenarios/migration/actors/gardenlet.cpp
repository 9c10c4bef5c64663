#include "scenarios/migration/actors/gardenlet.h"

#include <algorithm>

namespace overlane::migration {

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
      if (gate_ == Gate::NodeRoutes && std::ranges::count(objects_.nodes_with_route, false) > 0) {
        next_ = now + timing_.gate_retry;
        return;
      }
      objects_.network_applied_at = now;
      objects_.note(now, kName, "IPPools, config map and DaemonSet calico-node are changed");
      next_.reset();
      return;
  }
}

}  // namespace overlane::migration
