#pragma once

#include "dataplane/forward/packet.h"

namespace overlane::forward {

/// Where a tunnel packet goes and what marks it.
struct TunnelEnds {
  IpAddress source;
  IpAddress destination;
  std::uint32_t vni = 0;               ///< VXLAN.
  std::uint16_t destination_port = 0;  ///< VXLAN.
};

/// Puts the outer header of encap/outer_rules.h on a bare packet; the identification is left to
/// the caller.
void encapsulate(Packet& packet, Encapsulation encapsulation, const TunnelEnds& ends);

/// Takes the outer header off again, with the ECN rules of RFC 6040; false, and the packet
/// untouched, when they want it dropped.
[[nodiscard]] bool decapsulate(Packet& packet);

}  // namespace overlane::forward
