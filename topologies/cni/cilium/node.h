#pragma once

#include <optional>

#include "dataplane/node/state/node_state.h"
#include "topologies/cni/extension/node_compiler.h"

namespace overlane::cilium {

// What cilium-agent configures on a node, as a state of dataplane/node. Cilium forwards with
// eBPF programs, which the model represents by kernel state with the same effect: the map
// cilium_ipcache is a route with `encap`, and a redirect to cilium_wg0 is a route to that
// device. The functions are fields of cni::NodeCompiler; topologies/compile calls them and adds
// what every node has.

// What cilium-agent configures on a node (cni::NodeCompiler). Its eBPF programs accept tunnel
// packets from any host and track no connections in the kernel.

std::optional<cni::Unsupported> unsupported_encryption(const effective::EffectiveDataplane& shoot);
std::string_view unsupported_ipv6(const effective::EffectiveDataplane& shoot);

/// In tunnel mode no kernel route leads to a peer's pods; the eBPF map cilium_ipcache holds each
/// peer's address, which `encap ip dst` represents. In native mode with direct routes there is one
/// `via` each peer of the same subnet; otherwise none, and the default route and the fabric decide.
/// With WireGuard, cilium-agent's program redirects packets for a peer's pods to cilium_wg0, which
/// a route represents.
node::PeerRoutes peer_routes(const effective::EffectiveDataplane& shoot, Family family);
/// cilium_host, the tunnel device in metadata mode, cilium_wg0, and the route of the node's own pod
/// CIDR.
void add_devices(const effective::EffectiveDataplane& shoot, node::NodeState& state);
/// No rule: only the name of the chain in which the agent masquerades where no eBPF program does
/// (cilium pkg/datapath/iptables).
void add_filters(const effective::EffectiveDataplane& shoot, node::PacketFilter& filter);

}  // namespace overlane::cilium
