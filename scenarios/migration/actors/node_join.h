#pragma once

#include <optional>

#include "scenarios/migration/actors/agent_pod.h"
#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/transition.h"
#include "sim/run/inputs/actor.h"

namespace overlane::migration {

/// A node that joins in the middle of the switch, as when cluster-autoscaler adds one: its agent
/// has the template that the DaemonSet has at that time.
class NodeJoin : public run::Actor {
 public:
  /// Keeps references. The transition has a node that joins.
  NodeJoin(const Transition& transition, Picos at, AgentPod& pod, ClusterObjects& objects)
      : transition_(transition), at_(at), pod_(pod), objects_(objects) {}

  std::optional<Picos> next() const override { return at_; }
  void act(node::WorldEditor& world, Picos now) override;

 private:
  bool joins_in_the_new_mode() const;

  const Transition& transition_;
  std::optional<Picos> at_;  ///< Until it has joined.
  AgentPod& pod_;
  ClusterObjects& objects_;
};

}  // namespace overlane::migration
