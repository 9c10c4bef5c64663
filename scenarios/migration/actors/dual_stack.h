#pragma once

#include <optional>

#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::migration {

/// gardenlet and the infrastructure's controller, from the change of spec.networking.ipFamilies on.
/// The first reconciliation prepares the infrastructure; where the nodes' interfaces get their pod
/// CIDRs, it first deletes all routes to pods and then adds the ranges to one machine after another
/// (gardener-extension-provider-gcp, docs/usage/ipv6.md). To dual-stack, the Network keeps the
/// first family until a person has had all nodes replaced (gardener, CheckPodCIDRsInNodes); the
/// reconciliation after that gives it both. Back to one family, the Network follows at once, and
/// interfaces keep their ranges.
class DualStackReconciliation : public run::Actor {
 public:
  /// Keeps references.
  DualStackReconciliation(const Timing& timing, const Transition& transition,
                          ClusterObjects& objects)
      : timing_(timing),
        transition_(transition),
        objects_(objects),
        next_(timing.reconcile_start) {}

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  enum class Phase { Waiting, Routes, Interfaces, ControlPlane, Nodes, Network, NextTime, Done };

  void replace_routes(node::WorldEditor& world, Picos now);
  void change_daemon_set(Picos now);

  const Timing& timing_;
  const Transition& transition_;
  ClusterObjects& objects_;
  Phase phase_ = Phase::Waiting;
  std::uint32_t interfaces_ = 0;  ///< That have their ranges.
  Picos next_;
};

}  // namespace overlane::migration
