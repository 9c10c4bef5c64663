#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "scenarios/migration/actors/calico_node.h"
#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/timing.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::migration {

/// BIRD of the old calico-node pods: confd sees the changed IPPool on every node within seconds,
/// whatever the DaemonSet's roll-out has got to, and BIRD writes the pod routes again: without the
/// tunnel when the overlay is switched off, and with it when it is switched on. They stay when BIRD
/// ends ("persist" in bird.cfg.template). BIRD of pods that the target keeps writes what it asks
/// for.
class BirdExport : public run::Actor {
 public:
  /// Keeps references.
  BirdExport(const Timing& timing, std::uint64_t seed, const CalicoNode& calico,
             ClusterObjects& objects)
      : timing_(timing), seed_(seed), calico_(calico), objects_(objects) {}

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  const Timing& timing_;
  std::uint64_t seed_;
  const CalicoNode& calico_;
  ClusterObjects& objects_;
  bool has_begun_ = false;
  std::vector<std::pair<Picos, std::uint32_t>> reloads_;  ///< By time, the next one last.
};

}  // namespace overlane::migration
