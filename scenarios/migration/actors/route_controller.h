#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "sim/run/inputs/actor.h"
#include "topologies/provider/profile.h"

namespace overlane::migration {

/// How a provider's route controller writes the routes of a pass.
struct RouteWriting {
  Picos period;                 ///< Between the beginnings of passes.
  Picos operation;              ///< Of one route in one table.
  std::uint32_t at_a_time = 1;  ///< Operations.
  /// A node's condition tells of its route in the last table only.
  bool last_table_decides = false;
  std::string_view component;
};

RouteWriting route_writing(const provider::Routes& routes, const Timing& timing);

/// The controller that writes a cloud route for each node's pod CIDR, from the time on when it is
/// deployed with the ControlPlane. A pass creates what is missing, node by node; what the cloud
/// refuses is tried again in the next one. The nodes' conditions are written when a pass ends.
class RouteController : public run::Actor {
 public:
  /// Keeps references; `missing` in the order in which they are written.
  RouteController(const Timing& timing, const RouteWriting& writing, std::vector<PodRoute> missing,
                  ClusterObjects& objects);

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  enum class Phase { NotStarted, Writing, Pausing, Done };

  void begin_pass(Picos now);
  void end_pass(Picos now);

  const Timing& timing_;
  RouteWriting writing_;
  std::vector<PodRoute> missing_;
  ClusterObjects& objects_;
  std::uint32_t last_table_ = 0;
  Phase phase_ = Phase::NotStarted;
  Picos next_;
  Picos pass_began_;
  std::size_t written_ = 0;  ///< Of missing_, in this pass.
  std::vector<PodRoute> refused_;
};

}  // namespace overlane::migration
