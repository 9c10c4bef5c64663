#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/net/units.h"

namespace overlane::migration {

/// Something that a component did, for the timeline.
struct Step {
  Picos at;
  std::string component;  ///< "gardenlet"
  std::string what;       ///< "ControlPlane is ready"
};

/// What the seed's and the shoot's API servers hold: by it the components of a migration learn of
/// each other.
struct ClusterObjects {
  explicit ClusterObjects(std::size_t nodes)
      : nodes_with_route(nodes, false), old_agents(nodes, true), sessions(nodes, 0) {}

  /// The ControlPlane object is ready: what it consists of is deployed.
  std::optional<Picos> control_plane_ready_at;
  /// What the agents are configured by is that of the target.
  std::optional<Picos> network_applied_at;
  /// The agents' DaemonSet asks for new pods.
  std::optional<Picos> daemon_set_changed_at;
  /// Of each node: the condition NetworkUnavailable is False with reason RouteCreated.
  std::vector<bool> nodes_with_route;

  // Of the agent on each node; its processes know this of each other by the network.
  std::vector<bool> old_agents;         ///< The pod from before the switch runs.
  std::vector<std::uint32_t> sessions;  ///< BGP sessions of the new pod's BIRD.
  struct Start {
    Picos at;
    std::uint32_t node = 0;
  };
  std::vector<Start> birds_started;  ///< BIRD of new pods, by time.

  std::vector<Step> steps;

  void note(Picos at, std::string component, std::string what) {
    steps.push_back({at, std::move(component), std::move(what)});
  }
};

}  // namespace overlane::migration
