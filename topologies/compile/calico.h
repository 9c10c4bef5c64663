#pragma once

#include "dataplane/node/node_state.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::compile {

/// How a peer's pods are routed on every node. Gardener's IPv6 pools never encapsulate.
node::PeerRoutes calico_peer_routes(const effective::Dataplane& dataplane, Family pods);

/// Adds what calico-node makes of one node: tunnel device, the own block's black hole, pods.
/// Devices stay sorted by name.
void add_calico(const effective::Dataplane& dataplane, node::NodeState& state);

}  // namespace overlane::compile
