#pragma once

#include <optional>

#include "scenarios/migration/actors/cluster_nodes.h"
#include "scenarios/migration/actors/gardenlet.h"
#include "sim/run/inputs/actor.h"

namespace overlane::migration {

/// machine-controller-manager replaces all machines, one after another (maxSurge 1, maxUnavailable
/// 0): a new node has to take pods before an old one is drained and deleted. It stops at one that
/// does not until the machine creation timeout.
class WorkerRoll : public run::Actor {
 public:
  /// Keeps references.
  WorkerRoll(const Timing& timing, const LaterChange& change, const Transition& transition,
             AgentPod& pod, ClusterObjects& objects)
      : timing_(timing),
        change_(change),
        count_(transition.joining),
        nodes_(transition, pod, objects),
        objects_(objects) {}

  std::optional<Picos> next() const override {
    return phase_ == Phase::Waiting ? change_.workers_at() : next_;
  }
  void act(node::WorldEditor& world, Picos now) override;

 private:
  enum class Phase { Waiting, Creating, Joining, Draining };

  void create(Picos now);

  const Timing& timing_;
  LaterChange change_;
  std::uint32_t count_;
  ClusterNodes nodes_;
  ClusterObjects& objects_;
  Phase phase_ = Phase::Waiting;
  std::uint32_t replaced_ = 0;
  Picos created_at_;  ///< The new machine at hand.
  std::optional<Picos> next_;
};

}  // namespace overlane::migration
