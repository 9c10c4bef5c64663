#pragma once

#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/strategy.h"
#include "scenarios/migration/inputs/timing.h"
#include "sim/run/inputs/actor.h"
#include "topologies/cni/extension/profile.h"

namespace overlane::migration {

/// gardenlet's reconciliation of the Shoot, from the change of its NetworkConfig on: first the
/// ControlPlane, and when that is ready, the Network. "Ready" means deployed, not that routes exist
/// (gardener, pkg/gardenlet/operation; pull requests 13332 and 13346). Where the CNI's DaemonSet
/// asks for new pods only at the next reconciliation, that follows.
class Gardenlet : public run::Actor {
 public:
  /// Keeps references.
  Gardenlet(const Timing& timing, Gate gate, const cni::Migration& cni, Picos shoot_changed_at,
            ClusterObjects& objects)
      : timing_(timing),
        gate_(gate),
        cni_(cni),
        objects_(objects),
        next_(shoot_changed_at + timing.reconcile_start) {}

  std::optional<Picos> next() const override { return next_; }
  void act(node::WorldEditor& world, Picos now) override;

 private:
  /// By the conditions of the nodes.
  bool all_routes_are_confirmed() const;

  enum class Phase { Waiting, ControlPlane, Network, NextTime };

  const Timing& timing_;
  Gate gate_;
  const cni::Migration& cni_;
  ClusterObjects& objects_;
  Phase phase_ = Phase::Waiting;
  std::optional<Picos> next_;
};

}  // namespace overlane::migration
