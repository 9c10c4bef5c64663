#pragma once

#include "dataplane/node/state/node_state.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::calico {

// What calico-node configures on a node (cni::NodeCompiler).

node::PeerRoutes peer_routes(const effective::EffectiveDataplane& shoot, Family family);
/// Tunnel and WireGuard devices, and the black hole of the node's own pod CIDR.
void add_devices(const effective::EffectiveDataplane& shoot, node::NodeState& state);
/// Felix's rules: which hosts may send tunnel packets, what it does not track, and which packets
/// of tunnel devices it masquerades.
void add_filters(const effective::EffectiveDataplane& shoot, node::PacketFilter& filter);

}  // namespace overlane::calico
