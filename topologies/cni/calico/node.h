#pragma once

#include <string_view>

#include "dataplane/net/address.h"
#include "dataplane/node/state/node_state.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::calico {

// What calico-node configures on a node, as a state of dataplane/node: Felix makes tunl0,
// vxlan.calico and WireGuard's devices and writes the rules of the packet filter; BIRD or Felix
// writes the routes to the pods of other nodes (Felix for VXLAN pools, and for IPIP pools since
// Calico 3.33). The functions are fields of cni::NodeCompiler; topologies/compile calls them and
// adds what every node has. They require a dataplane that is not opaque, and change only the
// state that they are given.

inline constexpr std::string_view kIpipDevice = "tunl0";
inline constexpr std::string_view kVxlanDevice = "vxlan.calico";

/// Felix's defaults WireguardInterfaceName and WireguardInterfaceNameV6.
constexpr std::string_view wireguard_device_name(Family family) {
  return family == Family::Ipv4 ? "wireguard.cali" : "wg-v6.cali";
}

// What calico-node configures on a node (cni::NodeCompiler).

node::PeerRoutes peer_routes(const effective::EffectiveDataplane& shoot, Family family);
/// Tunnel and WireGuard devices, and the black hole of the node's own pod CIDR.
void add_devices(const effective::EffectiveDataplane& shoot, node::NodeState& state);
/// Felix's rules: which hosts may send tunnel packets, what it does not track, and which packets
/// of tunnel devices it masquerades.
void add_filters(const effective::EffectiveDataplane& shoot, node::PacketFilter& filter);

}  // namespace overlane::calico
