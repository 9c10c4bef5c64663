#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/node/state/node_state.h"

namespace overlane::node {

/// The UDP ports that carry tunnels as far as a node is concerned: the usual ones, and those of its
/// own devices. WireGuard is one only from or to the node itself: what others send through the node
/// is not inspected.
struct TunnelPorts {
  std::vector<std::uint16_t> vxlan;
  std::vector<std::uint16_t> geneve;
  std::vector<std::uint16_t> wireguard;
  std::vector<IpAddress> own;  ///< For WireGuard, the node's addresses; empty: anyone's count.

  /// What a packet to that port is; Encapsulation::None when it is no tunnel's.
  Encapsulation at(std::uint16_t port, IpAddress source, IpAddress destination) const;
  /// Of VXLAN and Geneve, each once, in order.
  std::vector<std::uint16_t> all() const;
};

TunnelPorts tunnel_ports(const NodeState& state);

/// What a packet from or to the node itself to that port is.
Encapsulation tunnel_at(const NodeState& state, std::uint16_t port);
/// The same of any packet that it sees: tunnel_ports(state).at(…).
Encapsulation tunnel_at(const NodeState& state, std::uint16_t port, IpAddress source,
                        IpAddress destination);

}  // namespace overlane::node
