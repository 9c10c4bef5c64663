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

// The roll-out of the CNI's DaemonSet. AgentRollout is the DaemonSet controller: it decides when
// the pod of each node is replaced. AgentPod is the interface for the changes that the old and the
// new pod make on their node. Each CNI has one implementation (CalicoNode in calico.h, CiliumNode).
// The order of the nodes and the times until their pods are replaced are drawn from the seed of the
// run.

/// The pods of a CNI's DaemonSet. The functions make the changes of the old pod and of the new pod
/// on one node.
class AgentPod {
 public:
  virtual ~AgentPod() = default;

  /// Ends the old agent's pod. Returns the changes as text for the timeline: ", and …".
  virtual std::string end(std::uint32_t /*node*/, Picos /*now*/) { return ""; }
  /// Runs the init containers of the new pod. Returns their changes as text for the timeline; empty
  /// if they changed nothing.
  virtual std::string initialize(node::WorldEditor& /*world*/, std::uint32_t /*node*/) {
    return "";
  }
  /// Starts the agent of the new pod. Returns its changes as text for the timeline.
  virtual std::string start(node::WorldEditor& world, std::uint32_t node, Picos now) = 0;
  /// Starts the agent on a node that has joined and never ran one, so that no init containers run.
  virtual std::string start_on_new_node(node::WorldEditor& world, std::uint32_t node,
                                        Picos now) = 0;
  /// Result of the readiness probe of the new pod, which has started. By default a started agent is
  /// ready.
  virtual bool is_ready(std::uint32_t /*node*/) const { return true; }
};

/// Restores the route to the pods of `node` on all other nodes where it was hidden.
inline void announce_pods(node::WorldEditor& world, std::uint32_t node) {
  const IpPrefix& pod_cidr = world.world().nodes[node].member().ipv4->pod_cidr;
  for (std::uint32_t peer = 0; peer < world.world().nodes.size(); ++peer)
    if (peer != node) world.node(peer).restore_route(pod_cidr);
}

/// The roll-out of the agents' DaemonSet after its template has changed. It replaces pods in a
/// random order, maxUnavailable at a time, and continues when a new pod is ready. A pod that is not
/// ready is replaced at once. If the strategy deletes pods by hand, it replaces all remaining pods
/// at that time. On each node the new pod's init containers run, then the agent writes the node's
/// state. The roll-out also makes the pods of nodes that join ready.
class AgentRollout : public run::Actor {
 public:
  /// All arguments that are references must outlive this object.
  AgentRollout(const Timing& timing, std::uint64_t seed, const Strategy& strategy,
               std::string_view daemon_set, AgentPod& pod, ClusterObjects& objects);

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

  /// Number of present nodes whose new pod is not ready.
  std::size_t unfinished() const { return pods_ - ready_; }

 private:
  enum class Stage { Delete, Init, Start, Ready, NewNode };
  using Due = std::tuple<Picos, Stage, std::uint32_t>;  ///< End of a stage: time, stage, node.

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
  std::size_t pods_;  ///< Number of pods to replace.
  /// Nodes with old pods; the next node to replace is the last entry.
  std::vector<std::uint32_t> waiting_;
  std::set<Due> due_;
  std::size_t joined_ = 0;    ///< Handled entries of ClusterObjects::nodes_joined.
  std::size_t starting_ = 0;  ///< Pods whose replacement has begun and that are not ready.
  std::size_t ready_ = 0;
  std::map<std::uint32_t, std::uint32_t> probes_;  ///< Failed readiness probes by node.
};

/// cilium-agent. The old datapath keeps forwarding until the agent of the new pod has started. The
/// new agent then configures the node as the config map says and removes the old tunnel device
/// (cilium pkg/datapath/loader, setupTunnelDevice). Nodes in different modes do not reach each
/// other (cilium issue 9680).
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
