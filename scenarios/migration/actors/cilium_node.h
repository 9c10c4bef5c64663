#pragma once

#include "scenarios/migration/actors/agent_rollout.h"
#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/transition.h"

namespace overlane::migration {

/// cilium-agent: until a new pod's agent has started, the datapath of the old one goes on. Then the
/// node is what the config map asks for, and the devices of the old one are gone (cilium
/// pkg/datapath/loader, setupTunnelDevice). Nodes of both modes cannot talk (cilium issue 9680).
class CiliumNode : public AgentPod {
 public:
  /// Both arguments must outlive this object.
  CiliumNode(const Transition& transition, const ClusterObjects& objects)
      : transition_(transition), objects_(objects) {}

  std::string start(node::WorldEditor& world, std::uint32_t node, Picos now) override;
  std::string start_on_new_node(node::WorldEditor& world, std::uint32_t node, Picos now) override;

 private:
  const Transition& transition_;
  const ClusterObjects& objects_;
};

}  // namespace overlane::migration
