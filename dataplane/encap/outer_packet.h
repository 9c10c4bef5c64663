#pragma once

#include <cstdint>
#include <span>

#include "dataplane/net/drop.h"
#include "results/finding/finding.h"

namespace overlane::encap {

// The first step of pop: reads the outer IP header as ip_rcv_core and ip6_rcv_core accept it,
// then the UDP header of tunnels that have one. Fragments are refused, because a node
// reassembles before a tunnel device sees the packet.

/// An outer IP packet that arrived, found sound.
struct OuterPacket {
  std::span<std::uint8_t> bytes;   ///< All of it, without link padding.
  std::uint32_t header_bytes = 0;  ///< With IPv4 options, or IPv6 extension headers.
  std::uint8_t protocol = 0;       ///< Behind them.
  std::uint8_t tos = 0;            ///< Or traffic class.

  std::span<std::uint8_t> payload() const { return bytes.subspan(header_bytes); }
};

/// Reads an outer IPv4 packet as ip_rcv_core accepts it (net/ipv4/ip_input.c): Drop::BadChecksum
/// for a wrong checksum, Drop::Malformed for lengths that lie and for a fragment, which whoever
/// calls this would have reassembled first.
Result<OuterPacket, Drop> read_outer_ipv4(std::span<std::uint8_t> packet);

/// Reads an outer IPv6 packet as ip6_rcv_core accepts it (net/ipv6/ip6_input.c), past extension
/// headers that ask for nothing: hop-by-hop and destination options by the rules of ip6_parse_tlv
/// (net/ipv6/exthdrs.c), routing headers with no segment left, atomic fragments. Drop::Malformed
/// for lengths that lie, a real fragment, too many options or too much padding;
/// Drop::UnsupportedProtocol for what a node that does not know it must not pass over.
Result<OuterPacket, Drop> read_outer_ipv6(std::span<std::uint8_t> packet);

/// By the version in the first byte.
Result<OuterPacket, Drop> read_outer(std::span<std::uint8_t> packet);

/// The outer packet cut to its UDP datagram, as __udp4_lib_rcv and __udp6_lib_rcv accept it
/// (net/ipv4/udp.c, net/ipv6/udp.c): Drop::Malformed for a length that lies, where 0 over IPv6
/// means all of the packet; Drop::BadChecksum for a wrong checksum and, over IPv6, for none, unless
/// `zero_over_ipv6` (`udp6zerocsumrx`).
Result<OuterPacket, Drop> read_udp(const OuterPacket& outer, bool zero_over_ipv6);

}  // namespace overlane::encap
