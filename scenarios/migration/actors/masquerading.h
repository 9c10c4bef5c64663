#pragma once

#include <cstdint>
#include <optional>

#include "scenarios/migration/actors/calico_node.h"
#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/timing.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::migration {

/// Which packets of pods are masqueraded in the course of the switch. Felix of old pods follows the
/// IPPools at once: without overlay there is one for the nodes' range, so that pods reach nodes,
/// and a nameserver in that range, under their own addresses (networking-calico pull request 229).
/// In new pods a sidecar adds the rules for the nameservers of resolv.conf when it has slept for 15
/// s (networking-calico pull request 324).
class Masquerading : public run::Actor {
 public:
  /// Keeps references.
  Masquerading(const Timing& timing, const CalicoNode& calico, ClusterObjects& objects)
      : timing_(timing), calico_(calico), objects_(objects) {}

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  std::optional<Picos> pools_at() const;
  std::optional<Picos> rules_at() const;

  const Timing& timing_;
  const CalicoNode& calico_;
  ClusterObjects& objects_;
  bool follows_pools_ = false;  ///< Felix of old pods has applied the new ones.
  std::size_t seen_ = 0;        ///< Of ClusterObjects::agents_started.
};

}  // namespace overlane::migration
