#pragma once

#include <compare>

#include "dataplane/forward/packet.h"

namespace overlane::forward {

/// Where a tunnel packet goes and what marks it.
struct TunnelEnds {
  IpAddress source;
  IpAddress destination;
  // VXLAN, Geneve and WireGuard.
  std::uint32_t vni = 0;
  std::uint16_t destination_port = 0;
  /// WireGuard: the MTU of the route into the device, which padding does not exceed.
  std::uint32_t mtu = 0;

  auto operator<=>(const TunnelEnds&) const = default;
};

/// Puts the outer header of encap/outer_rules.h on a bare packet, of the family of `ends`, which
/// the encapsulation must run over and whose packet it must carry. The identification is left to
/// the caller.
void encapsulate(Packet& packet, Encapsulation encapsulation, const TunnelEnds& ends);

/// Takes the outer header off again, with the ECN rules of RFC 6040; false, and the packet
/// untouched, when they want it dropped, which WireGuard does not do.
[[nodiscard]] bool decapsulate(Packet& packet);

}  // namespace overlane::forward
