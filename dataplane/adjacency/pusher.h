#pragma once

#include "dataplane/adjacency/adjacency.h"
#include "dataplane/forward/encapsulate.h"

namespace overlane::adjacency {

/// Adds what puts the outer headers of a tunnel that carries IPv4 on, and returns its position. The
/// inner frame is for `far_mac`, else for what the forwarding database knows.
std::uint32_t add_pusher(const node::NodeState& state, Encapsulation encapsulation,
                         const forward::TunnelEnds& ends, Pushers& to,
                         std::optional<MacAddress> far_mac = std::nullopt);

/// Puts the outer headers of an adjacency on the packet that fills `buffer` from `room` on.
[[gnu::always_inline]] inline Result<std::span<std::uint8_t>, Drop> push(
    const Pushers& pushers, Encapsulation encapsulation, std::uint32_t position,
    std::span<std::uint8_t> buffer, std::size_t room, const encap::PerPacket& packet) {
  switch (encapsulation) {
    case Encapsulation::Ipip:
      return pushers.ipip[position].push(buffer, room, packet);
    case Encapsulation::Vxlan:
      return pushers.vxlan[position].push(buffer, room, packet);
    case Encapsulation::Geneve:
      return pushers.geneve[position].push(buffer, room, packet);
    case Encapsulation::Ip6Tnl:
      return pushers.ip6tnl[position].push(buffer, room, packet);
    case Encapsulation::None:
    case Encapsulation::Sit:  // Carries no IPv4.
      break;
  }
  return fail(Drop::UnsupportedProtocol);
}

}  // namespace overlane::adjacency
