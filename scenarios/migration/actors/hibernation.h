#pragma once

#include <optional>

#include "scenarios/migration/actors/cluster_nodes.h"
#include "scenarios/migration/actors/gardenlet.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::migration {

/// The shoot is hibernated and woken up later. gardenlet's reconciliation deletes all machines and
/// then scales the control plane down; the next one makes new machines after the ControlPlane and
/// the Network (gardener, pkg/gardenlet/operation/botanist, HibernateControlPlane).
class Hibernation : public run::Actor {
 public:
  /// Keeps references.
  Hibernation(const Timing& timing, const LaterChange& change, const Transition& transition,
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
  enum class Phase { Waiting, Draining, Asleep, Creating };

  const Timing& timing_;
  LaterChange change_;
  std::uint32_t count_;
  ClusterNodes nodes_;
  ClusterObjects& objects_;
  Phase phase_ = Phase::Waiting;
  std::optional<Picos> next_;
};

}  // namespace overlane::migration
