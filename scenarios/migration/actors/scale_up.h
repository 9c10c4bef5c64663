#pragma once

#include <optional>

#include "scenarios/migration/actors/cluster_nodes.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::migration {

/// cluster-autoscaler adds a node.
class ScaleUp : public run::Actor {
 public:
  /// Keeps references.
  ScaleUp(Picos at, const Transition& transition, AgentPod& pod, ClusterObjects& objects)
      : at_(at),
        node_(transition.nodes_at_start()),
        nodes_(transition, pod, objects),
        objects_(objects) {}

  std::optional<Picos> next() const override { return at_; }
  void act(node::WorldEditor& world, Picos now) override {
    at_.reset();
    objects_.note(now, "cluster-autoscaler", nodes_.join(world, node_, now));
  }

 private:
  std::optional<Picos> at_;  ///< Until the node has joined.
  std::uint32_t node_;
  ClusterNodes nodes_;
  ClusterObjects& objects_;
};

}  // namespace overlane::migration
