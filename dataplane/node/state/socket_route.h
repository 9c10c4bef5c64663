#pragma once

#include <cstdint>

#include "dataplane/node/state/node_state.h"

namespace overlane::node {

/// What a socket on the node's own network (a daemon's, or that of a pod with hostNetwork) gets of
/// its way to a destination when it is connected (ip_route_output_key).
struct SocketRoute {
  IpAddress source;       ///< Unspecified when the node has no address of the destination's family.
  std::uint32_t mtu = 0;  ///< Of the way, as far as the node knows; 0 where none leads there.
};

/// The source is the primary address of the device that the route leaves through, so towards pods
/// of other nodes a tunnel's; where that has none, the node's own. Cilium's tunnel has none: its
/// routes say `src` cilium_host's.
SocketRoute socket_route(const NodeState& state, IpAddress destination);

}  // namespace overlane::node
