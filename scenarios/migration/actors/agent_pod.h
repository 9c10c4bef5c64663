#pragma once

#include <cstdint>
#include <string>

#include "dataplane/net/units.h"
#include "dataplane/node/state/world.h"

namespace overlane::migration {

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
  /// The same on a node that joins and has run no agent before: it needs no init containers.
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

}  // namespace overlane::migration
