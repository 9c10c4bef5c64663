#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "scenarios/migration/actors/agent_rollout.h"
#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/actors/gardenlet.h"
#include "scenarios/migration/inputs/strategy.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::migration {

/// All components of a switch as one actor: gardenlet, the route controller, the agents' roll-out
/// and others. If several components act at the same time, they act in the order of their list. The
/// object owns the actors and their shared ClusterObjects, and belongs to the thread of its run.
class Components : public run::Actor {
 public:
  /// `transition`, `strategy`, `timing` and `predecessor` must outlive this object. `disturbance`
  /// must not be a rollback. `predecessor` is a switch in the other direction. Its components stop
  /// when this switch changes the DaemonSet; nodes whose pods it has not replaced by then keep
  /// these pods.
  Components(const Transition& transition, const Strategy& strategy, const Timing& timing,
             std::uint64_t seed, const std::optional<Disturbance>& disturbance = {},
             Picos shoot_changed_at = {}, const Components* predecessor = nullptr);
  Components(const Components&) = delete;
  Components& operator=(const Components&) = delete;

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

  /// Records that a switch in the other direction has changed the agents' configuration back.
  void see_configuration_back() { objects_.is_configuration_back = true; }

  /// The state of the cluster, and the timeline so far.
  const ClusterObjects& objects() const { return objects_; }
  /// True if no predecessor acts (any more).
  bool has_taken_over() const { return predecessor_ == nullptr; }
  std::uint64_t unfinished_pods() const { return rollout_->unfinished(); }

 private:
  void take_over(const ClusterObjects& predecessor);
  void add_gardenlet(const Transition& transition, const Strategy& strategy, const Timing& timing,
                     const std::optional<Disturbance>& disturbance, Picos shoot_changed_at);
  void add_disturbance(const Disturbance& disturbance, const Transition& transition,
                       const Strategy& strategy, const Timing& timing);
  void add_calico(const Transition& transition, const Strategy& strategy, const Timing& timing,
                  std::uint64_t seed);

  ClusterObjects objects_;
  const Components* predecessor_;  ///< Null if there is none, or it no longer acts.
  std::unique_ptr<AgentPod> pod_;
  std::vector<std::unique_ptr<run::Actor>> actors_;
  const AgentRollout* rollout_ = nullptr;  ///< Points into `actors_`.
};

/// The components of a switch, and those of its rollback if the operator makes one.
class SwitchComponents {
 public:
  /// All arguments that are references must outlive this object.
  SwitchComponents(const Transition& transition, const Strategy& strategy, const Timing& timing,
                   std::uint64_t seed, const std::optional<Disturbance>& disturbance);

  /// Time of the next act of a component; nothing if none acts any more.
  std::optional<Picos> next();
  /// Lets the components act that are due at next().
  void act(node::WorldEditor& world, Picos now);

  /// The components of the last switch (the rollback, if any). Nodes join and leave in the first
  /// switch only.
  const Components& last() const { return back_ ? *back_ : there_; }
  const Components& there() const { return there_; }
  /// The components of the rollback; null before the operator makes it.
  const Components* back() const { return back_ ? &*back_ : nullptr; }
  /// The transition of the rollback; null if the operator makes none.
  const Transition* reversed() const { return reversed_ ? &*reversed_ : nullptr; }
  /// Whether the components of the first switch act. Those of a rollback end them when it changes
  /// the DaemonSet.
  bool acts_there() const { return !back_ || !back_->has_taken_over(); }
  /// All steps so far, by time.
  std::vector<Step> take_steps();

 private:
  const Timing& timing_;
  std::uint64_t seed_;
  Components there_;
  std::optional<LaterChange> rollback_;
  std::optional<Transition> reversed_;
  Strategy back_strategy_{.name = "rollback"};
  std::optional<Components> back_;
  std::vector<Step> steps_;
};

}  // namespace overlane::migration
