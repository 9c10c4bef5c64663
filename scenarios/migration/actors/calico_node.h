#pragma once

#include <cstdint>
#include <memory>

#include "dataplane/node/state/world.h"
#include "scenarios/migration/inputs/transition.h"

namespace overlane::migration {

/// What the processes of calico-node change on a node in the course of a switch.
class CalicoNode {
 public:
  /// Keeps a reference.
  explicit CalicoNode(const Transition& transition)
      : transition_(transition),
        without_tunnel_(transition.without_tunnel()),
        without_routes_(transition.without_routes()) {}

  /// BIRD of an old pod, after confd has rewritten its export filter: pod routes lose their tunnel.
  void drop_tunnel_from_routes(node::WorldEditor& world, std::uint32_t node) const;
  /// The init container cleanup-routes deletes what BIRD has written, black holes among them.
  void clean_up_routes(node::WorldEditor& world, std::uint32_t node) const;
  /// Felix of a new pod: the tunnel's device, and the packet filter. A device that it no longer
  /// needs stays (FELIX_IPINIPENABLED is set explicitly).
  void start_felix(node::WorldEditor& world, std::uint32_t node) const;
  /// BIRD of a new pod: the black hole of the node's own pod CIDR; no route to a peer yet.
  void start_bird(node::WorldEditor& world, std::uint32_t node) const;
  /// Two nodes have a BGP session: each gets the route to the other's pods.
  void connect(node::WorldEditor& world, std::uint32_t a, std::uint32_t b) const;
  /// The node has BGP sessions with all others: it gets the routes to their pods.
  void connect_to_all(node::WorldEditor& world, std::uint32_t node) const;

 private:
  const IpPrefix& pod_cidr(std::uint32_t node) const {
    return transition_.to.nodes[node].member().ipv4->pod_cidr;
  }

  const Transition& transition_;
  std::shared_ptr<const node::ClusterTable> without_tunnel_;
  std::shared_ptr<const node::ClusterTable> without_routes_;
};

}  // namespace overlane::migration
