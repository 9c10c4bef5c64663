#pragma once

#include "dataplane/adjacency/adjacency.h"
#include "dataplane/forward/encapsulate.h"

namespace overlane::adjacency {

/// Adds what puts the outer headers of a tunnel that carries IPv4 on, and returns its position. The
/// inner frame is for `far_mac`, else for what the forwarding database knows.
std::uint32_t add_pusher(const node::NodeState& state, Encapsulation encapsulation,
                         const forward::TunnelEnds& ends, Pushers& to,
                         std::optional<MacAddress> far_mac = std::nullopt);

/// Puts the outer headers of an adjacency on an IPv4 packet, no longer than it takes, with
/// kPushRoom bytes in front. What leaves.
[[gnu::always_inline]] inline std::span<std::uint8_t> wrap(const Pushers& pushers,
                                                           Encapsulation encapsulation,
                                                           std::uint32_t position,
                                                           std::span<std::uint8_t> packet,
                                                           const encap::PerPacket& per_packet) {
  switch (encapsulation) {
    case Encapsulation::Ipip:
      return pushers.ipip[position].wrap(packet, per_packet);
    case Encapsulation::Vxlan:
      return pushers.vxlan[position].wrap<Family::Ipv4>(packet, per_packet);
    case Encapsulation::Geneve:
      return pushers.geneve[position].wrap<Family::Ipv4>(packet, per_packet);
    case Encapsulation::Ip6Tnl:
      return pushers.ip6tnl[position].wrap(packet, per_packet);
    case Encapsulation::None:
    case Encapsulation::Sit:        // Carries no IPv4.
    case Encapsulation::Wireguard:  // Takes the full path.
      break;
  }
  return packet;
}

}  // namespace overlane::adjacency
