#pragma once

#include <algorithm>
#include <optional>

#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/strategy.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "sim/run/inputs/run_options.h"
#include "topologies/cni/extension/profile.h"

namespace overlane::migration {

// gardenlet and its reconciliation of the Shoot. Gardenlet applies the change of the NetworkConfig:
// first the ControlPlane, then the Network. LaterChange is another change of the Shoot during the
// switch. DualStackReconciliation is the migration to two IP families or back to one. The other
// actors learn of these changes from ClusterObjects, as the real components do from the API server.

/// gardenlet's reconciliation of the Shoot after the change of its NetworkConfig. It deploys the
/// ControlPlane, waits until this is ready, and deploys the Network. "Ready" means deployed, not
/// that routes exist (gardener, pkg/gardenlet/operation; pull requests 13332 and 13346). If the
/// template of the CNI's DaemonSet changes only at the next reconciliation, the actor simulates
/// that one as well.
class Gardenlet : public run::Actor {
 public:
  /// All arguments that are references must outlive this object. `later_change` is the time of
  /// another change of the Shoot, if there is one.
  Gardenlet(const Timing& timing, Gate gate, const cni::Migration& cni, Picos shoot_changed_at,
            std::optional<Picos> later_change, ClusterObjects& objects)
      : timing_(timing),
        gate_(gate),
        cni_(cni),
        later_change_(later_change),
        objects_(objects),
        next_(shoot_changed_at + timing.reconcile_start) {}

  std::optional<Picos> next() const override { return next_; }
  void act(node::WorldEditor& world, Picos now) override;

 private:
  /// When the next reconciliation deploys the Network.
  Picos next_network(Picos now) const;
  /// True if the condition of every node confirms its route.
  bool all_routes_are_confirmed() const;

  enum class Phase { Waiting, ControlPlane, Network, NextTime };

  const Timing& timing_;
  Gate gate_;
  const cni::Migration& cni_;
  std::optional<Picos> later_change_;
  ClusterObjects& objects_;
  Phase phase_ = Phase::Waiting;
  std::optional<Picos> next_;
};

/// The timing of another change of the Shoot during a switch.
class LaterChange {
 public:
  /// `timing` and `objects` must outlive this object. `gate` is the gate of the switch.
  LaterChange(Picos at, const Timing& timing, Gate gate, const ClusterObjects& objects)
      : at_(at), timing_(timing), gate_(gate), objects_(objects) {}

  /// When gardenlet begins to reconcile the change: after the current reconciliation, unless that
  /// fails. Nothing while this is not known.
  std::optional<Picos> begins_at() const {
    if (!objects_.network_applied_at && gate_ == Gate::None) return std::nullopt;
    return std::max(at_, objects_.network_applied_at.value_or(at_));
  }
  /// When this reconciliation reaches the workers. Nothing while this is not known.
  std::optional<Picos> workers_at() const {
    const std::optional<Picos> begin = begins_at();
    if (!begin) return std::nullopt;
    return *begin + timing_.until_control_plane();
  }

 private:
  Picos at_;
  const Timing& timing_;
  Gate gate_;
  const ClusterObjects& objects_;
};

/// gardenlet and the infrastructure controller after a change of spec.networking.ipFamilies. The
/// first reconciliation prepares the infrastructure. If the nodes' interfaces get the pod CIDRs
/// (GCP), it first deletes all routes to pods and then adds the ranges to one machine after another
/// (gardener-extension-provider-gcp, docs/usage/ipv6.md). In a switch to dual-stack, the Network
/// keeps the first family until a person has replaced all nodes (gardener, CheckPodCIDRsInNodes);
/// the next reconciliation gives it both families. In a switch back to one family, the Network
/// follows at once, and interfaces keep their ranges.
class DualStackReconciliation : public run::Actor {
 public:
  /// All arguments must outlive this object.
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
  std::uint32_t interfaces_ = 0;  ///< Number of network interfaces that have their IPv6 ranges.
  Picos next_;
};

}  // namespace overlane::migration
