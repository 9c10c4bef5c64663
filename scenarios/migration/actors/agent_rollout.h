#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "dataplane/net/units.h"
#include "dataplane/node/state/world.h"
#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/strategy.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::migration {

// The roll-out of the CNI's DaemonSet. AgentRollout is the DaemonSet controller and decides when a
// node's pod is replaced; AgentPod is the interface to what the old and the new pod change on their
// node, with one implementation for each CNI (calico.h, CiliumNode). The order of the nodes and
// the times until pods are replaced are drawn from the run's seed.

/// The pods that a CNI's DaemonSet runs on the nodes: what the old one and the new one change on
/// their node.
class AgentPod {
 public:
  virtual ~AgentPod() = default;

  /// By the old agent, when its pod ends. Returns what it did, for the timeline: ", and …".
  virtual std::string end(std::uint32_t /*node*/, Picos /*now*/) { return ""; }
  /// By its init containers. Returns what they did, for the timeline; empty: nothing.
  virtual std::string initialize(node::WorldEditor& /*world*/, std::uint32_t /*node*/) {
    return "";
  }
  /// By the agent, when it has started. Returns what it did.
  virtual std::string start(node::WorldEditor& world, std::uint32_t node, Picos now) = 0;
  /// Starts the agent on a node that has joined and never ran one, so that no init containers run.
  virtual std::string start_on_new_node(node::WorldEditor& world, std::uint32_t node,
                                        Picos now) = 0;
  /// When it is asked for the first time, unless the agent needs more than to have started.
  virtual bool is_ready(std::uint32_t /*node*/) const { return true; }
};

/// All other nodes get the route to a node's pods, if it was only hidden.
inline void announce_pods(node::WorldEditor& world, std::uint32_t node) {
  const IpPrefix& pod_cidr = world.world().nodes[node].member().ipv4->pod_cidr;
  for (std::uint32_t peer = 0; peer < world.world().nodes.size(); ++peer)
    if (peer != node) world.node(peer).restore_route(pod_cidr);
}

/// The roll-out of the agents' DaemonSet after its template has changed: pods are replaced in a
/// random order, maxUnavailable at a time, and the next one when a new pod is ready; those that
/// are not ready at once; or all that are left, once they are deleted by hand. On each node the new
/// pod's init containers run, then the agent writes the node's state. Pods of nodes that join
/// become ready as well.
class AgentRollout : public run::Actor {
 public:
  /// All arguments that are references must outlive this object.
  AgentRollout(const Timing& timing, std::uint64_t seed, const Strategy& strategy,
               std::string_view daemon_set, AgentPod& pod, ClusterObjects& objects);

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

  /// Nodes whose new pod is not ready, as far as they are known to be there.
  std::size_t unfinished() const { return pods_ - ready_; }

 private:
  enum class Stage { Delete, Init, Start, Ready, NewNode };
  using Due = std::tuple<Picos, Stage, std::uint32_t>;  ///< Which stage of a node's pod ends.

  void replace(const node::World& world, std::size_t at_a_time, Picos now);
  void notice_joined_nodes();
  void note(Picos now, std::string what);

  const Timing& timing_;
  std::uint64_t seed_;
  const Strategy& strategy_;
  std::string daemon_set_;
  AgentPod& pod_;
  ClusterObjects& objects_;
  bool has_begun_ = false;
  std::size_t pods_;                    ///< To be replaced.
  std::vector<std::uint32_t> waiting_;  ///< Nodes with old pods; the next one last.
  std::set<Due> due_;
  std::size_t joined_ = 0;    ///< Entries of ClusterObjects::nodes_joined that were handled.
  std::size_t starting_ = 0;  ///< Pods that are being replaced and not ready.
  std::size_t ready_ = 0;
  std::map<std::uint32_t, std::uint32_t> probes_;  ///< Failed readiness probes by node.
};

/// cilium-agent: until a new pod's agent has started, the datapath of the old one goes on. Then the
/// node is what the config map asks for, and the devices of the old one are gone (cilium
/// pkg/datapath/loader, setupTunnelDevice). Nodes of both modes cannot talk (cilium issue 9680).
class CiliumNode : public AgentPod {
 public:
  /// Both arguments must outlive this object.
  CiliumNode(const Transition& transition, const ClusterObjects& objects)
      : transition_(transition), objects_(objects) {}

  std::string start(node::WorldEditor& world, std::uint32_t node, Picos now) override;
  std::string start_on_new_node(node::WorldEditor& world, std::uint32_t node, Picos now) override;

 private:
  const Transition& transition_;
  const ClusterObjects& objects_;
};

}  // namespace overlane::migration
