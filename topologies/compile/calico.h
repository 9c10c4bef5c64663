#pragma once

#include "dataplane/node/node_state.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::compile {

/// How a peer's pods of one family are routed on every node, by that family's dataplane.
node::PeerRoutes calico_peer_routes(const effective::Dataplane& dataplane);

/// Adds what calico-node makes of one node: tunnel device, the own block's black hole, pods.
/// Devices stay sorted by name.
void add_calico(const effective::EffectiveDataplane& shoot, node::NodeState& state);

}  // namespace overlane::compile
