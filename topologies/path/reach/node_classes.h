#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dataplane/node/state/world.h"
#include "topologies/path/reach/peer_relations.h"

namespace overlane::path {

// Groups the interchangeable nodes of a world, so that one walk is valid for many pairs of nodes.
// Two nodes are interchangeable if their whole configuration is equal except for names, numbers and
// their own addresses. NodeClasses updates the classes when the world changes. The world and
// `first_pods` must outlive a NodeClasses. Used by one thread.

/// A partition of a world's nodes: classes are numbered by their first nodes, in order.
struct NodePartition {
  std::vector<std::uint32_t> class_of;  ///< By node.
  std::vector<std::uint32_t> first;     ///< By class: the node with the smallest number.
  std::vector<std::uint32_t> sizes;     ///< By class: number of nodes.
};

/// The pod of each node that sends and receives; nothing for a node without pods.
using FirstPods = std::vector<std::optional<node::LocalPod>>;

/// The first pod of each node that has an address of `family`.
FirstPods first_pods(const node::World& world, Family family);

/// Returns the addresses of a node that a walk between `first_pods` may look up: those of its first
/// pod, the node, its tunnels, its devices and its instance. Without duplicates.
std::vector<IpAddress> addresses_of(const node::World& world, std::uint32_t number,
                                    const std::optional<node::LocalPod>& first_pod);

/// The classes of interchangeable nodes of a world, updated when the world changes.
class NodeClasses {
 public:
  /// The class of a node that cannot be exchanged with any other, because another node or the
  /// fabric refers to it by name or address.
  static constexpr std::uint32_t kNamed = KeyNumbers::kNone;

  /// Refers to the world and to `first_pods`. `sends_mtu`: the probe is as large as the sending
  /// pod's MTU.
  NodeClasses(const node::World& world, const FirstPods& first_pods, bool sends_mtu);
  ~NodeClasses();
  NodeClasses(NodeClasses&& other) noexcept;
  NodeClasses& operator=(NodeClasses&& other) noexcept;

  /// Updates the classes. Call it after each change of the world, with all changes since the last
  /// call. The cost is proportional to the number of changed nodes. Returns false if a change may
  /// affect all nodes; the caller then has to build a new NodeClasses.
  bool follow(const node::WorldChange& change);

  /// The number of a node's interchangeable class, or kNamed. These classes are finer than
  /// by_state(): shared objects of the world treat the nodes of a class equally, too. Consider a
  /// walk that enters only its first and its last node and looks up only addresses of these two
  /// nodes or of no node. All such walks between nodes of the same classes and relations have the
  /// same outcome, and numbers keep this meaning as long as follow() returns true. If
  /// any_peer_routes() is false, exchanging nodes of one class changes no walk between first pods.
  std::uint32_t class_of(std::uint32_t node) const;
  std::uint32_t numbers() const;  ///< Number of classes so far.
  /// Number of the relation of a node to a peer: the node's own routes to the peer's pods. Peers
  /// with equivalent routes have the same number. 0: the node has no such routes.
  std::uint32_t relation(std::uint32_t node, std::uint32_t peer) const;
  static constexpr std::uint32_t kNoRelation =
      PeerRelations::kNoRelation;  ///< The relation has no number.
  /// Whether any node has routes of its own to a peer's pods.
  bool any_peer_routes() const;
  /// Whether no other node is in its interchangeable class.
  bool is_alone(std::uint32_t node) const;
  /// Whether any node has this address.
  bool is_owned(IpAddress address) const;
  /// Whether no node has this address, or only nodes that are alone.
  bool is_fixed(IpAddress address) const;

  /// The partition of the nodes by their own configuration: shared tables, devices, routes,
  /// sysctls, instance, first pod's MTU, running or stopped. Names, numbers and own addresses and
  /// prefixes do not count.
  NodePartition by_state() const;

 private:
  class Classifier;
  std::unique_ptr<Classifier> classifier_;
};

}  // namespace overlane::path
