#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "scenarios/migration/actors/calico_node.h"
#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/timing.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::migration {

/// The full mesh of BGP sessions of new calico-node pods. When the overlay is switched on, BIRD
/// finds those peers whose new pods run, and only then do the two have routes to each other's pods.
/// Where BIRD runs before and after the switch, a new one finds all peers.
class BgpSessions : public run::Actor {
 public:
  /// Keeps references.
  BgpSessions(const Timing& timing, std::uint64_t seed, bool old_birds_run,
              const CalicoNode& calico, ClusterObjects& objects)
      : timing_(timing),
        seed_(seed),
        old_birds_run_(old_birds_run),
        calico_(calico),
        objects_(objects) {}

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  void connect(node::WorldEditor& world, std::uint32_t node);
  Picos connects_at(const ClusterObjects::Event& start) const;

  const Timing& timing_;
  std::uint64_t seed_;
  bool old_birds_run_;
  const CalicoNode& calico_;
  ClusterObjects& objects_;
  std::size_t seen_ = 0;  ///< Of ClusterObjects::agents_started.
  std::set<std::pair<Picos, std::uint32_t>> connecting_;
  bool has_begun_ = false;
  std::vector<std::uint32_t> connected_;
};

}  // namespace overlane::migration
