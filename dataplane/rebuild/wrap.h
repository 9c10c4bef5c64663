#pragma once

#include <optional>

#include "dataplane/forward/packet.h"
#include "dataplane/net/drop.h"
#include "dataplane/node/node_state.h"
#include "dataplane/rebuild/packet_buffer.h"

namespace overlane::rebuild {

/// Puts the outer headers of `wrapped` in front of the packet in the buffer, as the encapsulation
/// of `device` pushes them for a packet that `route` led there; the identification of an outer IPv4
/// header is left at 0. What push() refuses: a tunnel that the packet itself forbids (RFC 2473
/// 4.1.1) is Drop::TunnelLoop.
std::optional<Drop> wrap(const node::NodeState& state, const forward::Packet& wrapped,
                         const node::Route& route, const node::Device& device,
                         PacketBuffer& packet);

}  // namespace overlane::rebuild
