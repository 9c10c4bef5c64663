#pragma once

#include <optional>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"
#include "dataplane/reference/table_index.h"

namespace overlane::reference {

// Lookups of the byte path (reference.h) in the states of node and fabric. Each one scans all
// entries from end to end, without any index of the fast executors. Of a large table it inspects
// only the entries that an index of the byte path (table_index.h) gives, if there is one.

/// A route of a node, found by a search of all layers: configured routes, local pods, pod CIDRs.
struct FoundRoute {
  int length = -1;  ///< Prefix length in bits; -1: no route.
  node::Route route;
  const node::LocalPod* pod =
      nullptr;  ///< Set if the route leads to a local pod; points into state.
};

/// The route with the longest prefix that contains `address`, through a device that is up.
/// `members`: an index of the node's cluster, or null.
FoundRoute find_route(const node::NodeState& state, IpAddress address,
                      const PrefixIndex* members = nullptr);

/// Whether packets to `address` are for the node itself.
bool has_address(const node::NodeState& state, IpAddress address);

/// The node's own address of a family, if the node has one.
std::optional<IpAddress> own_address(const node::NodeState& state, bool ipv4);

/// The VPC route for `address` in the table of the instance's subnet, or null. `index`: of this
/// fabric, or null.
const node::FabricRoute* find_route(const node::FabricState& fabric, std::uint32_t instance,
                                    IpAddress address, const FabricIndex* index = nullptr);

/// The instance that owns the address. `index`: of this fabric, or null.
std::optional<std::uint32_t> find_instance(const node::FabricState& fabric, IpAddress address,
                                           const FabricIndex* index = nullptr);

}  // namespace overlane::reference
