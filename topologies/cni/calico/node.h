#pragma once

#include <string_view>

#include "dataplane/net/address.h"
#include "dataplane/node/state/node_state.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::calico {

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
