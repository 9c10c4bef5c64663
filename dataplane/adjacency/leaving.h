#pragma once

#include <cstring>

#include "dataplane/adjacency/arriving.h"
#include "dataplane/adjacency/link_headers.h"
#include "dataplane/adjacency/pusher.h"
#include "dataplane/node/node_runtime.h"

namespace overlane::adjacency {

/// One hop less, with the checksum that covers it (RFC 1624), in place.
inline void decrement_hop_limit(std::uint8_t* at) {
  --at[8];
  const std::uint32_t sum = load_be16(at + 10) + 0x100u;
  store_be16(at + 10, static_cast<std::uint16_t>(sum + (sum >= 0xffff ? 1u : 0u)));
}

/// Makes the frame that leaves of `packet`, which is in `frame`. False, and the frame untouched,
/// when it cannot be wrapped.
[[gnu::always_inline]] inline bool leave(const Arriving& packet, const Adjacency& adjacency,
                                         const Pushers& pushers, const LinkHeaders& links,
                                         node::IdentificationCounters& identification,
                                         Frame& frame) {
  const auto before = load<std::uint32_t>(packet.at + 8);
  decrement_hop_limit(packet.at);
  std::span<std::uint8_t> sent(packet.at, packet.bytes);
  if (adjacency.encapsulation != Encapsulation::None) {
    encap::PerPacket per_packet;
    if (adjacency.encapsulation != Encapsulation::Ipip) {
      per_packet.flow_hash = encap::inner_flow_hash(sent, Family::Ipv4);
    }
    if (adjacency.outer_destination.is_ipv4()) {
      per_packet.identification = identification.next(adjacency.outer_destination);
    }
    const auto outer =
        push(pushers, adjacency.encapsulation, adjacency.pusher,
             {packet.at - kPushRoom, kPushRoom + packet.bytes}, kPushRoom, per_packet);
    if (!outer) {
      std::memcpy(packet.at + 8, &before, sizeof before);
      return false;
    }
    sent = *outer;
  }
  std::uint8_t* at = sent.data() - wire::kEthernetBytes;
  links.write(adjacency.next_hop, at);
  std::memcpy(at + LinkHeaders::kBytes, &adjacency.ether_type, sizeof adjacency.ether_type);
  frame = {at, static_cast<std::uint32_t>(wire::kEthernetBytes + sent.size())};
  return true;
}

}  // namespace overlane::adjacency
