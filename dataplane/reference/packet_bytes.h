#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/forward/packet.h"

namespace overlane::reference {

using Bytes = std::vector<std::uint8_t>;

/// The packet as it would be on the wire, from its outermost IPv4 header on. Lengths are taken at
/// their word: what a header announces beyond the headers inside it is zero, what it leaves out is
/// cut off. Of a fragment of an encapsulated packet it is the announced part of the whole.
Bytes encode(const forward::Packet& packet);

/// What a station can see of a packet: tunnels are recognised by protocol 4 and by the UDP ports in
/// `vxlan_ports`, in unfragmented packets and first fragments.
forward::Packet decode(const Bytes& bytes, const std::vector<std::uint16_t>& vxlan_ports);

}  // namespace overlane::reference
