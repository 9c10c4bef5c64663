#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "scenarios/migration/actors/cluster_nodes.h"
#include "scenarios/migration/inputs/timing.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::migration {

/// machine-controller-manager replaces all machines, one after another (maxSurge 1, maxUnavailable
/// 0): a new node has to take pods before an old one is drained and deleted. It stops at one that
/// does not until the machine creation timeout.
class WorkerRoll : public run::Actor {
 public:
  /// Keeps references. `begins_at`: when the machine deployments are changed; nothing: not known
  /// yet.
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
  Picos created_at_;  ///< The new machine at hand.
  std::optional<Picos> next_;
};

}  // namespace overlane::migration
