#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "scenarios/migration/actors/agent_rollout.h"
#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/actors/gardenlet.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::migration {

// Nodes that join and leave during a switch. ClusterNodes changes the world for one node; the
// actors decide when: machine-controller-manager replaces unhealthy machines (MachineController) or
// all of them (WorkerRoll), cluster-autoscaler adds a node (ScaleUp), and gardenlet hibernates the
// shoot (Hibernation). Nodes that join have the highest numbers in the world and are absent until
// then. All actors run in the thread of their run.

/// Adds nodes to the world and removes nodes from it during a switch.
class ClusterNodes {
 public:
  /// All arguments that are references must outlive this object.
  ClusterNodes(const Transition& transition, AgentPod& pod, ClusterObjects& objects)
      : transition_(transition), pod_(pod), objects_(objects) {}

  /// Adds a node, with the agent pod of the current DaemonSet. Returns the text for the timeline:
  /// "node-7 joins, in the new mode".
  std::string join(node::WorldEditor& world, std::uint32_t node, Picos now);
  /// Removes a node: its pods have been moved, and its machine is deleted.
  void leave(node::WorldEditor& world, std::uint32_t node, Picos now);

 private:
  bool joins_in_the_new_mode() const;
  /// True while the route controller of the old ControlPlane runs: until the new one is ready.
  bool has_old_route_controller() const;

  const Transition& transition_;
  AgentPod& pod_;
  ClusterObjects& objects_;
};

/// machine-controller-manager: replaces the machine of each node whose condition NetworkUnavailable
/// has been True for the health timeout. It replaces one machine at a time (maxReplacements in
/// pkg/util/provider/machinecontroller; in a shoot with several machine deployments, one of each).
/// Each node is replaced once; the new node is not simulated.
class MachineController : public run::Actor {
 public:
  /// All arguments that are references must outlive this object.
  MachineController(const Timing& timing, ClusterObjects& objects)
      : timing_(timing), objects_(objects), was_replaced_(objects.conditions.size(), false) {}

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  /// The node that has been unhealthy for the longest time, except replaced nodes.
  std::optional<std::uint32_t> unhealthy() const;

  const Timing& timing_;
  ClusterObjects& objects_;
  std::vector<bool> was_replaced_;
  struct Deletion {
    Picos at;
    std::uint32_t node = 0;
  };
  std::optional<Deletion> deletion_;
  Picos free_since_;  ///< End of the last deletion.
};

/// machine-controller-manager replaces all machines, one after another (maxSurge 1, maxUnavailable
/// 0): a new node must take pods before an old one is drained and deleted. The replacement stops at
/// a new node that takes no pods within the machine creation timeout.
class WorkerRoll : public run::Actor {
 public:
  /// All arguments that are references must outlive this object. `begins_at` returns when the
  /// machine deployments are changed, or nothing while this is not known.
  WorkerRoll(const Timing& timing, std::function<std::optional<Picos>()> begins_at,
             const Transition& transition, AgentPod& pod, ClusterObjects& objects)
      : timing_(timing),
        begins_at_(std::move(begins_at)),
        count_(transition.joining),
        nodes_(transition, pod, objects),
        objects_(objects) {}

  std::optional<Picos> next() const override {
    return phase_ == Phase::Waiting ? begins_at_() : next_;
  }
  void act(node::WorldEditor& world, Picos now) override;

 private:
  enum class Phase { Waiting, Creating, Joining, Draining };

  void create(Picos now);

  const Timing& timing_;
  std::function<std::optional<Picos>()> begins_at_;
  std::uint32_t count_;
  ClusterNodes nodes_;
  ClusterObjects& objects_;
  Phase phase_ = Phase::Waiting;
  std::uint32_t replaced_ = 0;
  Picos created_at_;  ///< Creation of the machine that joins now.
  std::optional<Picos> next_;
};

/// cluster-autoscaler adds a node.
class ScaleUp : public run::Actor {
 public:
  /// All arguments that are references must outlive this object.
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
  std::optional<Picos> at_;  ///< Time of the join; empty after it.
  std::uint32_t node_;
  ClusterNodes nodes_;
  ClusterObjects& objects_;
};

/// Hibernation and wake-up of the shoot. gardenlet's reconciliation deletes all machines and then
/// scales the control plane down. The reconciliation at the wake-up creates new machines after the
/// ControlPlane and the Network (gardener, pkg/gardenlet/operation/botanist,
/// HibernateControlPlane).
class Hibernation : public run::Actor {
 public:
  /// All arguments that are references must outlive this object.
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
