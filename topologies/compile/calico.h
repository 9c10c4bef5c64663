#pragma once

#include <string_view>

#include "dataplane/node/state/node_state.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::compile {

/// Felix's defaults WireguardInterfaceName and WireguardInterfaceNameV6.
inline constexpr std::string_view kWireguardDevice = "wireguard.cali";
inline constexpr std::string_view kWireguardDeviceV6 = "wg-v6.cali";

/// How a peer's pods of one family are routed on every node, by that family's dataplane.
node::PeerRoutes calico_peer_routes(const effective::Dataplane& dataplane, Family family);

/// Adds what calico-node makes of one node: tunnel and WireGuard devices, the own block's black
/// hole, pods. Devices stay sorted by name.
void add_calico(const effective::EffectiveDataplane& shoot, node::NodeState& state);

}  // namespace overlane::compile
