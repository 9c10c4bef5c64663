#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/net/units.h"

namespace overlane::migration {

// The state that the actors of one simulated switch share: the objects in the API servers of the
// seed and the shoot, and the timeline of steps. An actor changes it where its component writes to
// an API server, and other actors react to the change. All actors of a switch run in one thread.
// Event lists are ordered by time; each reader remembers how many entries it has handled.

/// An action of a component, for the timeline.
struct Step {
  Picos at;
  std::string component;  ///< "gardenlet"
  std::string what;       ///< "ControlPlane is ready"
};

/// A node's condition NetworkUnavailable, by the reason that its writer gives.
struct NetworkCondition {
  enum class Reason : std::uint8_t {
    AgentIsUp,       ///< False, by the agent: "CalicoIsUp".
    RouteCreated,    ///< False, by the route controller.
    NoRouteCreated,  ///< True, by the route controller.
    CalicoIsDown,    ///< True, by calico-node when it ends.
  };
  Reason reason = Reason::AgentIsUp;
  Picos since;  ///< Time of the last change between True and False.

  bool is_unavailable() const {
    return reason == Reason::NoRouteCreated || reason == Reason::CalicoIsDown;
  }
};

/// The state in the API servers of the seed and the shoot, through which the components of a switch
/// learn of each other.
struct ClusterObjects {
  /// The last `joining` of `nodes` nodes are absent until they join.
  ClusterObjects(std::uint32_t nodes, std::uint32_t joining)
      : membership(nodes, Membership::TakesPods),
        conditions(nodes),
        old_agents(nodes, true),
        ready_agents(nodes, true),
        sessions(nodes, 0) {
    std::fill_n(membership.rbegin(), joining, Membership::Absent);
  }

  /// A node, and the time at which something happened to it.
  struct Event {
    Picos at;
    std::uint32_t node = 0;
  };

  /// When the ControlPlane object became ready, that is, its components are deployed.
  std::optional<Picos> control_plane_ready_at;
  /// When the Network object, which configures the agents, became that of the target.
  std::optional<Picos> network_applied_at;
  /// Whether the agents' configuration has been changed back since then. New pods, which read it
  /// when they start, then run in the old mode.
  bool is_configuration_back = false;
  /// When the template of the agents' DaemonSet changed, so that pods are replaced.
  std::optional<Picos> daemon_set_changed_at;

  /// When a person began to replace all machines, pool by pool.
  std::optional<Picos> roll_asked_at;

  enum class Membership : std::uint8_t {
    Absent,     ///< The node has not joined yet, or has left.
    Joined,     ///< The node is not yet available, or its agent is not ready (gardener, node
                ///< readiness).
    TakesPods,  ///< Pods may run on the node. Later conditions do not change this.
  };
  std::vector<Membership> membership;  ///< For each node.
  std::vector<Event> nodes_joined;     ///< By time.
  std::vector<Event> nodes_left;
  std::vector<Event> nodes_opened;  ///< Joined nodes when they begin to take pods, by time.

  std::vector<NetworkCondition> conditions;   ///< For each node.
  std::set<std::uint32_t> unavailable_nodes;  ///< Nodes whose condition is True.
  std::vector<std::uint32_t> replaced_nodes;  ///< Nodes whose machine was replaced, in order.
  std::optional<Picos> node_deleted_at;       ///< Time of the last deletion of a node.
  /// A new node that did not take pods within the machine creation timeout, so that no more
  /// machines are replaced.
  std::optional<std::uint32_t> stuck_node;

  // The agent on each node. Agents learn this state of each other through the network.
  std::vector<bool> old_agents;    ///< By node: whether the old pod, from before the switch, runs.
  std::vector<bool> ready_agents;  ///< By node: whether the agent's pod is ready.
  std::vector<std::uint32_t> sessions;  ///< By node: number of BGP sessions of the new pod's BIRD.
  /// Nodes whose pods were already in the target mode when the switch began; sorted.
  std::vector<std::uint32_t> kept_agents;
  std::vector<Event> agents_started;  ///< Starts of new pods, by time.
  std::vector<Event> birds_ended;     ///< Ends of BIRD where the new pod has none, by time.

  std::vector<Step> steps;

  bool is_present(std::uint32_t node) const { return membership[node] != Membership::Absent; }
  bool takes_pods(std::uint32_t node) const { return membership[node] == Membership::TakesPods; }
  bool is_kept(std::uint32_t node) const { return std::ranges::binary_search(kept_agents, node); }

  void join(std::uint32_t node, NetworkCondition::Reason reason, Picos now) {
    membership[node] = Membership::Joined;
    ready_agents[node] = false;
    nodes_joined.push_back({now, node});
    set_condition(node, reason, now);
  }
  void leave(std::uint32_t node, Picos now) {
    membership[node] = Membership::Absent;
    nodes_left.push_back({now, node});
    unavailable_nodes.erase(node);
  }

  /// Does nothing for a node that is not present.
  void set_condition(std::uint32_t node, NetworkCondition::Reason reason, Picos now) {
    if (!is_present(node)) return;
    NetworkCondition& condition = conditions[node];
    const bool was_unavailable = condition.is_unavailable();
    condition.reason = reason;
    if (condition.is_unavailable() != was_unavailable) {
      condition.since = now;
      if (was_unavailable) {
        unavailable_nodes.erase(node);
      } else {
        unavailable_nodes.insert(node);
      }
    }
    open_if_ready(node, now);
  }
  void set_ready(std::uint32_t node, Picos now) {
    ready_agents[node] = true;
    open_if_ready(node, now);
  }
  void note(Picos at, std::string component, std::string what) {
    steps.push_back({at, std::move(component), std::move(what)});
  }

 private:
  void open_if_ready(std::uint32_t node, Picos now) {
    if (membership[node] != Membership::Joined || !ready_agents[node] ||
        conditions[node].is_unavailable())
      return;
    membership[node] = Membership::TakesPods;
    nodes_opened.push_back({now, node});
  }
};

}  // namespace overlane::migration
