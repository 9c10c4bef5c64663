#pragma once

#include "scenarios/migration/actors/agent_pod.h"
#include "scenarios/migration/inputs/transition.h"

namespace overlane::migration {

/// cilium-agent: until a new pod's agent has started, the datapath of the old one goes on. Then the
/// node is what the new mode asks for, and the devices of the old one are gone (cilium
/// pkg/datapath/loader, setupTunnelDevice). Nodes of both modes cannot talk (cilium issue 9680).
class CiliumNode : public AgentPod {
 public:
  /// Keeps a reference.
  explicit CiliumNode(const Transition& transition) : transition_(transition) {}

  std::string start(node::WorldEditor& world, std::uint32_t node, Picos now) override;
  std::string start_on_new_node(node::WorldEditor& world, std::uint32_t node, Picos now) override;

 private:
  const Transition& transition_;
};

}  // namespace overlane::migration
