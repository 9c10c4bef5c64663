#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/node/state/world.h"

namespace overlane::path {

/// A partition of a world's nodes: classes are numbered by their first nodes, in order.
struct NodePartition {
  std::vector<std::uint32_t> class_of;  ///< By node.
  std::vector<std::uint32_t> first;     ///< By class: the node with the smallest number.
  std::vector<std::uint32_t> sizes;     ///< By class: nodes.

  bool is_alone(std::uint32_t node) const { return sizes[class_of[node]] == 1; }
};

/// An address that packets may bear, and a node that it belongs to.
struct OwnedAddress {
  IpAddress address;
  std::uint32_t node = 0;

  auto operator<=>(const OwnedAddress&) const = default;
};

/// Which nodes of a world are alike.
struct NodeClasses {
  /// Equal configuration but for the node's identity (name, number, its own addresses and
  /// prefixes): shared tables, devices, routes, sysctls, instance, first pod's MTU, running or not.
  NodePartition by_state;
  /// Nodes that can be exchanged without a difference to any walk between first pods. Finer than
  /// `by_state`: everything else in the world also says the same about them.
  NodePartition interchangeable;
  std::vector<OwnedAddress> owners;  ///< Sorted.

  /// Whether no node has this address, or only nodes that are alone in their interchangeable class.
  bool is_fixed(IpAddress address) const;
};

/// By node: the pod that sends and receives; nothing where there is none.
using FirstPods = std::vector<std::optional<node::LocalPod>>;

/// The first pod of a family of each node.
FirstPods first_pods(const node::World& world, Family family);

/// The addresses of a node that walks between `first_pods` may ask for: of its first pod, the node,
/// its tunnels, its devices and its instance. Without duplicates.
std::vector<IpAddress> addresses_of(const node::World& world, std::uint32_t number,
                                    const std::optional<node::LocalPod>& first_pod);

/// `sends_mtu`: the probe is as large as the sending pod's MTU.
NodeClasses classify(const node::World& world, const FirstPods& first_pods, bool sends_mtu);

}  // namespace overlane::path
