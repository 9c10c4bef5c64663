#pragma once

#include <optional>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::reference {

/// A route found by a search of all entries of all layers.
struct FoundRoute {
  int length = -1;  ///< Prefix length in bits; -1: no route.
  node::Route route;
  const node::LocalPod* pod = nullptr;
};

FoundRoute find_route(const node::NodeState& state, IpAddress address);

bool has_address(const node::NodeState& state, IpAddress address);

/// The node's own address of a family.
std::optional<IpAddress> own_address(const node::NodeState& state, bool ipv4);

/// The VPC route for `address` in the table of the instance's subnet, or null.
const node::FabricRoute* find_route(const node::FabricState& fabric, std::uint32_t instance,
                                    IpAddress address);

/// The instance that owns the address.
std::optional<std::uint32_t> find_instance(const node::FabricState& fabric, IpAddress address);

}  // namespace overlane::reference
