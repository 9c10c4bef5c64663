#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/forward/packet.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::reference {

using Bytes = std::vector<std::uint8_t>;

/// The packet as it would be on the wire, from its outermost IP header on, with right checksums.
/// Lengths are taken at their word: what a header announces beyond the headers inside it is zero,
/// what it leaves out is cut off. Of a fragment of an encapsulated packet it is the announced part
/// of the whole. Ethernet addresses inside a tunnel are zero.
Bytes encode(const forward::Packet& packet);

/// What a station can see of a packet: tunnels are recognised by protocols 4 and 41 and by UDP
/// ports, in unfragmented packets and first fragments.
forward::Packet decode(const Bytes& bytes, const node::TunnelPorts& ports);

}  // namespace overlane::reference
