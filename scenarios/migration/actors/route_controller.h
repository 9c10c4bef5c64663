#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "sim/run/inputs/run_options.h"
#include "topologies/provider/profile.h"

namespace overlane::migration {

/// The controller that writes a cloud route for each node's pod CIDR, from the time on when it is
/// deployed with the ControlPlane. A pass deletes the routes of nodes that have left and creates
/// what is missing, node by node; what the cloud refuses is tried again in the next one. The nodes'
/// conditions are written when a pass ends; those that calico-node has written since, in a later
/// one.
class RouteController : public run::Actor {
 public:
  /// All arguments must outlive this object.
  RouteController(const Timing& timing, const Transition& transition, ClusterObjects& objects);

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  enum class Phase { NotStarted, Writing, Pausing, Done };

  /// A call to the cloud about one route in one table.
  struct Operation {
    PodRoute route;
    bool deletes = false;  ///< Else it creates.
  };

  std::vector<PodRoute> routes_to(std::uint32_t node) const;
  void start(const node::World& world, Picos now);
  void begin_pass(Picos now);
  void notice_nodes();
  void end_pass(Picos now);
  std::optional<Picos> next_pass_for_conditions() const;
  /// The first pass after a time, of those that begin so often.
  Picos pass_after(Picos time, Picos period) const;
  /// The first time that a node joined or left after the last pass had begun.
  std::optional<Picos> nodes_changed_at() const;
  void write_conditions(Picos now);

  const Timing& timing_;
  const Transition& transition_;
  const provider::Routes& routes_;
  Picos period_;               ///< From the beginning of a pass to that of the next.
  Picos conditions_period_;    ///< Between passes that rewrite conditions in any case.
  Picos operation_;            ///< Duration of writing one route in one table.
  std::size_t at_a_time_ = 1;  ///< Concurrent operations; 0: all.
  ClusterObjects& objects_;
  std::vector<Operation> pending_;
  std::size_t joined_ = 0;  ///< Handled entries of ClusterObjects::nodes_joined.
  std::size_t left_ = 0;    ///< Handled entries of ClusterObjects::nodes_left.
  std::uint32_t last_table_ = 0;
  Phase phase_ = Phase::NotStarted;
  Picos next_;
  Picos pass_began_;
  std::size_t done_ = 0;  ///< Finished operations of pending_ in this pass.
  std::vector<Operation> refused_;
  std::vector<bool> lacks_route_;  ///< For each node, at the end of the last pass.
};

}  // namespace overlane::migration
