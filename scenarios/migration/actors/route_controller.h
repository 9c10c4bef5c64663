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

/// How fast the route controller of a provider writes.
struct RouteWriting {
  Picos period;               ///< From the begin of one pass to the begin of the next.
  Picos call;                 ///< Duration of one call to the cloud.
  std::uint32_t calls = 1;    ///< Calls for one group of routes, one after the other.
  std::size_t at_a_time = 1;  ///< Routes of one group; 0: all missing ones.
};
RouteWriting route_writing(const provider::Routes& routes, const Timing& timing);

/// The route controller of the provider. It writes a cloud route for the pod CIDR of each node. It
/// starts when the ControlPlane has deployed it. A pass deletes the routes of nodes that have left
/// and creates missing routes, node by node. The next pass retries the operations that the cloud
/// refused. The controller writes the nodes' condition NetworkUnavailable at the end of a pass. If
/// calico-node overwrites a condition, a later pass corrects it.
class RouteController : public run::Actor {
 public:
  /// All arguments must outlive this object.
  RouteController(const Timing& timing, const Transition& transition, ClusterObjects& objects);

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  enum class Phase { NotStarted, Writing, Pausing, Done };

  /// A call to the cloud that creates or deletes one route in one route table.
  struct Operation {
    PodRoute route;
    bool deletes = false;  ///< False: the call creates the route.
  };

  std::vector<PodRoute> routes_to(std::uint32_t node) const;
  void start(const node::World& world, Picos now);
  void begin_pass(Picos now);
  void notice_nodes();
  void end_pass(Picos now);
  std::optional<Picos> next_pass_for_conditions() const;
  /// Begin of the first pass after `time`, of passes that begin every `period`.
  Picos pass_after(Picos time, Picos period) const;
  /// The first time after the begin of the last pass at which a node joined or left.
  std::optional<Picos> nodes_changed_at() const;
  void write_conditions(Picos now);

  const Timing& timing_;
  const Transition& transition_;
  const provider::Routes& routes_;
  RouteWriting writing_;
  Picos conditions_period_;  ///< Time between passes that rewrite all conditions.
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
  /// By node: whether a route was missing at the end of the last pass.
  std::vector<bool> lacks_route_;
};

}  // namespace overlane::migration
