#pragma once

#include <bit>
#include <cstring>

#include "dataplane/adjacency/adjacency.h"
#include "dataplane/adjacency/fast_parse.h"
#include "dataplane/adjacency/link_headers.h"
#include "dataplane/forward/packet_transform.h"
#include "dataplane/node/runtime/node_runtime.h"

namespace overlane::adjacency {

// Applies an adjacency to a packet in its buffer: hop limit, outer headers, link header.
// Pushers are the tunnels of a node, collected by kind.

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

/// One hop less, in IPv4 with the checksum that covers it (RFC 1624), in place.
template <Family kFamily>
[[gnu::always_inline]] inline void decrement_hop_limit(std::uint8_t* at) {
  if constexpr (kFamily == Family::Ipv6) {
    // The word as a whole, for whoever sums it up next: a byte of it would have to reach the cache.
    constexpr bool kIsLittle = std::endian::native == std::endian::little;
    const std::uint64_t word = load<std::uint64_t>(at) - (std::uint64_t{1} << (kIsLittle ? 56 : 0));
    std::memcpy(at, &word, sizeof word);
    return;
  }
  --at[8];
  // A one's-complement sum, in memory order.
  const std::uint32_t sum =
      load<std::uint16_t>(at + 10) + network_order(static_cast<std::uint16_t>(0x100));
  const auto checksum = static_cast<std::uint16_t>(sum + (sum >= 0xffff ? 1u : 0u));
  std::memcpy(at + 10, &checksum, sizeof checksum);
}

/// What the outer headers of one packet take that is not in its adjacency. `ipv6_flow` is the hash
/// of an IPv6 packet's flow.
template <Family kFamily>
[[gnu::always_inline]] inline encap::PerPacket per_packet(
    const ParsedPacket& packet, Encapsulation encapsulation, const Adjacency& adjacency,
    std::uint32_t ipv6_flow, node::IdentificationCounters& identification) {
  encap::PerPacket made{.has_sound_header = kFamily == Family::Ipv4};
  if (kFamily == Family::Ipv6) {
    made.flow_hash = ipv6_flow;
  } else if (encapsulation != Encapsulation::Ipip) {
    const std::uint8_t protocol = FastIp<Family::Ipv4>::protocol(packet.at);
    const bool has_ports = protocol == wire::kUdp || protocol == wire::kTcp;
    made.flow_hash = has_ports ? encap::plain_flow_hash(packet.at)
                               : encap::inner_flow_hash({packet.at, packet.bytes}, Family::Ipv4);
  }
  if (adjacency.has_identification) {
    made.identification = identification.next_of(adjacency.identification_bucket);
  }
  return made;
}

/// The packet in the outer headers of its adjacency, which are of that encapsulation, in place.
template <Family kFamily>
[[gnu::always_inline]] inline std::span<std::uint8_t> wrapped(
    const ParsedPacket& packet, Encapsulation encapsulation, const Adjacency& adjacency,
    const Pushers& pushers, std::uint32_t ipv6_flow, node::IdentificationCounters& identification) {
  return wrap<kFamily>(
      pushers, encapsulation, adjacency.pusher, {packet.at, packet.bytes},
      per_packet<kFamily>(packet, encapsulation, adjacency, ipv6_flow, identification));
}

/// Out-of-line version for rare cases: the loop around it then has the registers.
template <Family kFamily>
[[gnu::noinline]] inline std::span<std::uint8_t> encapsulated_out_of_line(
    const ParsedPacket& packet, const Adjacency& adjacency, const Pushers& pushers,
    node::IdentificationCounters& identification) {
  const std::uint32_t ipv6_flow =
      kFamily == Family::Ipv6 ? encap::plain_ipv6_flow_hash(packet.at) : 0;
  return wrapped<kFamily>(packet, adjacency.encapsulation, adjacency, pushers, ipv6_flow,
                          identification);
}

/// The frame that leaves: made of `packet` in place, with as much in front of it as comes on.
/// kExpected, the encapsulation of most adjacencies, changes nothing but the speed; with one, and
/// in IPv6, `ipv6_flow` is the hash of the packet's flow.
template <Family kFamily, Encapsulation kExpected>
[[gnu::always_inline]] inline Frame rewrite_for_tx(const ParsedPacket& packet,
                                                   const Adjacency& adjacency,
                                                   const Pushers& pushers,
                                                   const LinkHeader& link_header,
                                                   std::uint32_t ipv6_flow,
                                                   node::IdentificationCounters& identification) {
  decrement_hop_limit<kFamily>(packet.at);
  std::span<std::uint8_t> sent(packet.at, packet.bytes);
  if (kExpected != Encapsulation::None && adjacency.encapsulation == kExpected) {
    sent = wrapped<kFamily>(packet, kExpected, adjacency, pushers, ipv6_flow, identification);
  } else if (adjacency.encapsulation != Encapsulation::None) {
    sent = encapsulated_out_of_line<kFamily>(packet, adjacency, pushers, identification);
  }
  std::uint8_t* at = sent.data() - wire::kEthernetBytes;
  link_header.write(at);
  std::memcpy(at + LinkHeader::kBytes, &adjacency.ether_type, sizeof adjacency.ether_type);
  return {at, static_cast<std::uint32_t>(wire::kEthernetBytes + sent.size())};
}

}  // namespace overlane::adjacency
