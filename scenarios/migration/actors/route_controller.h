#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "sim/run/inputs/actor.h"
#include "topologies/provider/profile.h"

namespace overlane::migration {

/// The controller that writes a cloud route for each node's pod CIDR, from the time on when it is
/// deployed with the ControlPlane. A pass creates what is missing, node by node; what the cloud
/// refuses is tried again in the next one. The nodes' conditions are written when a pass ends;
/// those that calico-node has written since, in a later one.
class RouteController : public run::Actor {
 public:
  /// Keeps references. `needed`: in the order in which they are written; those that are there
  /// already are not. `of_joining`: the routes of a node that joins later.
  RouteController(const Timing& timing, const provider::Routes& routes,
                  std::vector<PodRoute> needed, std::vector<PodRoute> of_joining,
                  ClusterObjects& objects);

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  enum class Phase { NotStarted, Writing, Pausing, Done };

  void start(const node::World& world, Picos now);
  void begin_pass(Picos now);
  void end_pass(Picos now);
  std::optional<Picos> next_pass_for_conditions() const;
  /// The first pass after a time, of those that begin so often.
  Picos pass_after(Picos time, Picos period) const;
  bool has_joined() const { return objects_.node_joined_at && !of_joining_.empty(); }
  void write_conditions(Picos now);

  const Timing& timing_;
  const provider::Routes& routes_;
  Picos period_;               ///< Between the beginnings of passes.
  Picos conditions_period_;    ///< The same, of those that write conditions without need.
  Picos operation_;            ///< Of one route in one table.
  std::size_t at_a_time_ = 1;  ///< Operations.
  std::vector<PodRoute> missing_;
  std::vector<PodRoute> of_joining_;  ///< Until the node has joined.
  ClusterObjects& objects_;
  std::uint32_t last_table_ = 0;
  Phase phase_ = Phase::NotStarted;
  Picos next_;
  Picos pass_began_;
  std::size_t written_ = 0;  ///< Of missing_, in this pass.
  std::vector<PodRoute> refused_;
  std::vector<bool> lacks_route_;  ///< Of each node, when the last pass ended.
};

}  // namespace overlane::migration
