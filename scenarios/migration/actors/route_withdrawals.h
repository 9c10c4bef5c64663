#pragma once

#include <cstddef>
#include <optional>

#include "scenarios/migration/actors/calico_node.h"
#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/timing.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::migration {

/// BIRD of old pods keeps the routes that it has from a peer whose BIRD was killed for the graceful
/// restart time, and deletes them then (RFC 4724; tools/check-bird-routes).
class RouteWithdrawals : public run::Actor {
 public:
  /// Keeps references.
  RouteWithdrawals(const Timing& timing, const CalicoNode& calico, ClusterObjects& objects)
      : timing_(timing), calico_(calico), objects_(objects) {}

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  const Timing& timing_;
  const CalicoNode& calico_;
  ClusterObjects& objects_;
  std::size_t seen_ = 0;  ///< Of ClusterObjects::birds_ended.
};

}  // namespace overlane::migration
