#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/node/state/world.h"
#include "topologies/path/reach/node_classes.h"

namespace overlane::migration {

/// An established connection that a change has ended: from a node to a pod of another node.
struct EndedConnection {
  std::uint32_t from = 0;  ///< The node that masquerades it.
  std::uint32_t to = 0;
  Picos at;
};

/// Established connections that nodes masquerade towards pods of other nodes: those that clients
/// outside the cluster have through NodePorts, and clients with hostNetwork to Services. One ends
/// when the node's route to the pod leaves through another device than it began on
/// (nf_nat_oif_changed, net/netfilter/nf_nat_core.c), as Drop::NatDeviceChanged says.
class MasqueradedConnections {
 public:
  /// Refers to the world. The last `joining` nodes are absent until they join.
  MasqueradedConnections(const node::World& world, std::uint32_t joining);

  void see(const node::WorldChange& change, Picos now);
  void join(std::uint32_t node, Picos now);
  void leave(std::uint32_t node, Picos now);

  /// The first of each pair of nodes.
  std::vector<EndedConnection> take() { return std::move(ended_); }

 private:
  struct Pair {
    node::DeviceName device;  ///< As far as there ever was a route.
    bool has_ended = false;
  };

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(absent_.size()); }
  void look(std::uint32_t from, std::uint32_t to, Picos now);
  void look_at_all(std::uint32_t from, Picos now);

  const node::World& world_;
  path::FirstPods pods_;
  std::vector<bool> absent_;
  std::vector<Pair> pairs_;  ///< By sender, then by receiver.
  std::vector<EndedConnection> ended_;
};

}  // namespace overlane::migration
