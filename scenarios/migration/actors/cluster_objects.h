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

// The state that the actors of one simulated switch share: what the API servers of the seed and the
// shoot hold, and the timeline of steps. An actor writes what its component writes to the API
// server, and others react to it, in the same thread. Event lists are ordered by time; each reader
// remembers how many entries it has handled.

/// Something that a component did, for the timeline.
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
  Picos since;  ///< When it became what it is.

  bool is_unavailable() const {
    return reason == Reason::NoRouteCreated || reason == Reason::CalicoIsDown;
  }
};

/// What the seed's and the shoot's API servers hold: by it the components of a migration learn of
/// each other.
struct ClusterObjects {
  /// The last nodes join later.
  ClusterObjects(std::uint32_t nodes, std::uint32_t joining)
      : membership(nodes, Membership::TakesPods),
        conditions(nodes),
        old_agents(nodes, true),
        ready_agents(nodes, true),
        sessions(nodes, 0) {
    std::fill_n(membership.rbegin(), joining, Membership::Absent);
  }

  /// A node at a time.
  struct Event {
    Picos at;
    std::uint32_t node = 0;
  };

  /// The ControlPlane object is ready: what it consists of is deployed.
  std::optional<Picos> control_plane_ready_at;
  /// What the agents are configured by is that of the target.
  std::optional<Picos> network_applied_at;
  /// It has been changed back since: new pods that read it when they start are as before.
  bool is_configuration_back = false;
  /// The agents' DaemonSet asks for new pods.
  std::optional<Picos> daemon_set_changed_at;

  /// A person has all machines replaced, pool by pool.
  std::optional<Picos> roll_asked_at;

  enum class Membership : std::uint8_t {
    Absent,     ///< Not yet, or no longer.
    Joined,     ///< Until it is available and its agent ready (gardener, node readiness).
    TakesPods,  ///< Whatever its condition is later.
  };
  std::vector<Membership> membership;  ///< For each node.
  std::vector<Event> nodes_joined;     ///< By time; so are the next two.
  std::vector<Event> nodes_left;
  std::vector<Event> nodes_opened;  ///< Joined nodes, at the time when they take pods.

  std::vector<NetworkCondition> conditions;   ///< For each node.
  std::set<std::uint32_t> unavailable_nodes;  ///< Nodes whose condition is True.
  std::vector<std::uint32_t> replaced_nodes;  ///< Whose machine was replaced, in order.
  std::optional<Picos> node_deleted_at;       ///< The last of them.
  /// A new node that took no pods for so long that machines are no longer replaced.
  std::optional<std::uint32_t> stuck_node;

  // The agent on each node; agents learn this about each other through the network.
  std::vector<bool> old_agents;         ///< The pod from before the switch runs.
  std::vector<bool> ready_agents;       ///< The node's pod is ready.
  std::vector<std::uint32_t> sessions;  ///< BGP sessions of the new pod's BIRD.
  /// Nodes whose pods ran already, as the target asks for, when the switch began; sorted.
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
