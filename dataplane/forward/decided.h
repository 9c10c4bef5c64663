#pragma once

#include <optional>

#include "dataplane/forward/connection.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::forward {

// What NodeDecision tells its observer beside the packet: by which entries of the state it decided.

/// How a tunnel device wraps a packet.
struct Wrapping {
  const node::Route& route;  ///< By which the packet came to the device.
  const node::Device& device;
  std::uint32_t mtu = 0;  ///< Of the packet inside: WireGuard's padding ends there.
  /// Who has VXLAN's neighbour entry for the next hop, or among whose allowed IPs the destination
  /// is; null where there is none, and for other devices.
  const node::Member* peer = nullptr;
};

/// What of a packet's connection was translated, and why.
struct Translation {
  const node::Track& track;
  Side side = Side::Source;
  /// By which the packet opens a masqueraded connection; nothing for one that is known.
  std::optional<node::MasqueradeRule> rule;
};

/// The entries by which a packet is dropped, as far as there are any.
struct DropCause {
  const node::RouteMatch* match = nullptr;
  const node::Device* device = nullptr;
  const node::TunnelGuard* guard = nullptr;  ///< That does not let it in.
  const node::Service* service = nullptr;    ///< Without endpoints.
};

}  // namespace overlane::forward
