#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/forward/packet.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::reference {

using Bytes = std::vector<std::uint8_t>;

// Conversion between packet descriptors (forward::Packet) and bytes, for the byte path
// (reference.h).

/// The packet as it would be on the wire, from its outermost IP header on, with right checksums.
/// Each header's length decides the number of bytes after it: bytes beyond the inner headers are
/// zero, and bytes beyond the length are cut off. A fragment of an encapsulated packet consists of
/// the announced part of the whole packet. Ethernet addresses inside a tunnel are zero.
Bytes encode(const forward::Packet& packet);

/// Decodes the fields of a packet that a station can see: tunnels are recognised by protocols 4 and
/// 41 and by UDP ports, in unfragmented packets and first fragments.
forward::Packet decode(const Bytes& bytes, const node::TunnelPorts& ports);

}  // namespace overlane::reference
