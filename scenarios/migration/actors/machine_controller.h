#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/timing.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::migration {

/// machine-controller-manager: replaces the machine of a node whose condition NetworkUnavailable is
/// True for the health timeout, one after another (maxReplacements in
/// pkg/util/provider/machinecontroller; a shoot with several machine deployments: one of each).
/// Each node once: what happens to the new one is not followed.
class MachineController : public run::Actor {
 public:
  /// Keeps references.
  MachineController(const Timing& timing, ClusterObjects& objects)
      : timing_(timing), objects_(objects), was_replaced_(objects.conditions.size(), false) {}

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  /// The node that is unhealthy for the longest time, of those that were not replaced.
  std::optional<std::uint32_t> unhealthy() const;

  const Timing& timing_;
  ClusterObjects& objects_;
  std::vector<bool> was_replaced_;
  struct Deletion {
    Picos at;
    std::uint32_t node = 0;
  };
  std::optional<Deletion> deletion_;
  Picos free_since_;  ///< When the last deletion ended.
};

}  // namespace overlane::migration
