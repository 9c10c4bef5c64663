#pragma once

#include "dataplane/node/state/node_state.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::compile {

/// How a peer's pods are reached. In tunnel mode no kernel route leads there: cilium-agent's eBPF
/// map (cilium_ipcache, with each peer's address) does, which `encap ip dst` stands for. In native
/// mode with direct routes, `via` the peer on the same subnet only; else not at all, and the
/// default route and the fabric decide. With WireGuard cilium-agent's program on the interface
/// redirects what is for a peer's pods to cilium_wg0, for which the route stands.
node::PeerRoutes cilium_peer_routes(const effective::Dataplane& dataplane);

/// Adds what cilium-agent makes of one node: cilium_host, the tunnel device in metadata mode,
/// cilium_wg0, the own pod CIDR's route. Devices stay sorted by name.
void add_cilium(const effective::Dataplane& dataplane, node::NodeState& state);

}  // namespace overlane::compile
