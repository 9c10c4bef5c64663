#pragma once

#include "dataplane/adjacency/adjacency.h"
#include "dataplane/forward/encapsulate.h"

namespace overlane::adjacency {

/// Adds what puts the outer headers of a tunnel on, and returns its position. The inner frame,
/// where there is one, is for `far_mac`.
std::uint32_t add_pusher(const node::NodeState& state, Encapsulation encapsulation,
                         const forward::TunnelEnds& ends, Pushers& to, const MacAddress& far_mac);

/// Puts the outer headers of an adjacency on a packet of that family, no longer than it takes, with
/// kPushRoom bytes in front. What leaves. IPv6 packets are of TCP or UDP.
template <Family kFamily>
[[gnu::always_inline]] inline std::span<std::uint8_t> wrap(const Pushers& pushers,
                                                           Encapsulation encapsulation,
                                                           std::uint32_t position,
                                                           std::span<std::uint8_t> packet,
                                                           const encap::PerPacket& per_packet) {
  switch (encapsulation) {
    case Encapsulation::Ipip:
      if constexpr (kFamily == Family::Ipv4) return pushers.ipip[position].wrap(packet, per_packet);
      break;
    case Encapsulation::Sit:
      if constexpr (kFamily == Family::Ipv6) return pushers.sit[position].wrap(packet, per_packet);
      break;
    case Encapsulation::Vxlan:
      return pushers.vxlan[position].wrap<kFamily>(packet, per_packet);
    case Encapsulation::Geneve:
      return pushers.geneve[position].wrap<kFamily>(packet, per_packet);
    case Encapsulation::Ip6Tnl:
      return pushers.ip6tnl[position].wrap<kFamily>(packet, per_packet);
    case Encapsulation::None:
    case Encapsulation::Wireguard:  // Takes the full path.
      break;
  }
  return packet;
}

}  // namespace overlane::adjacency
