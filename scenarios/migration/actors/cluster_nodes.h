#pragma once

#include <cstdint>

#include "scenarios/migration/actors/agent_pod.h"
#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/transition.h"

namespace overlane::migration {

/// Lets nodes join and leave in the middle of a switch.
class ClusterNodes {
 public:
  /// Keeps references.
  ClusterNodes(const Transition& transition, AgentPod& pod, ClusterObjects& objects)
      : transition_(transition), pod_(pod), objects_(objects) {}

  /// With the agent that the DaemonSet asks for at that time. Returns what happened, for the
  /// timeline: "node-7 joins, in the new mode".
  std::string join(node::WorldEditor& world, std::uint32_t node, Picos now);
  /// Its machine is deleted, after its pods have been moved.
  void leave(node::WorldEditor& world, std::uint32_t node, Picos now);

 private:
  bool joins_in_the_new_mode() const;
  /// Until the new ControlPlane is ready, the route controller from before runs, if there is one.
  bool has_old_route_controller() const;

  const Transition& transition_;
  AgentPod& pod_;
  ClusterObjects& objects_;
};

}  // namespace overlane::migration
