#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/node/node_state.h"

namespace overlane::node {

/// The UDP ports that carry tunnels as far as a node is concerned: the usual ones, and those of its
/// own devices.
struct TunnelPorts {
  std::vector<std::uint16_t> vxlan;
  std::vector<std::uint16_t> geneve;

  /// What a packet to that port is; Encapsulation::None when it is no tunnel's.
  Encapsulation at(std::uint16_t port) const;
  /// Of both kinds, each once, in order.
  std::vector<std::uint16_t> all() const;
};

TunnelPorts tunnel_ports(const NodeState& state);

/// What a packet to that port is as far as this node is concerned: tunnel_ports(state).at(port).
Encapsulation tunnel_at(const NodeState& state, std::uint16_t port);

}  // namespace overlane::node
