#pragma once

#include <optional>

#include "dataplane/encap/encapsulation.h"
#include "dataplane/net/drop.h"
#include "dataplane/reference/packet_bytes.h"
#include "results/finding/finding.h"

namespace overlane::reference {

// Outer headers of every encapsulation, encoded and decoded naively, byte for byte, for the byte
// path (reference.h). dataplane/encap is the fast implementation; the two share no code.

/// The parameters of wrap() in addition to the inner packet.
struct TunnelEnds {
  IpAddress source;
  IpAddress destination;
  // The rest is for VXLAN, Geneve and WireGuard.
  std::uint32_t vni = 0;  ///< For WireGuard, the receiver index.
  std::uint16_t port = 0;
  std::size_t padding = 0;  ///< WireGuard only, in bytes.
  MacAddress source_mac;
  MacAddress destination_mac;
};

/// Encapsulates a packet as the Linux device of the encapsulation does, with identification 0.
Bytes wrap(Encapsulation encapsulation, const Bytes& inner, const TunnelEnds& ends);

/// The encapsulation limit that ip6tnl writes (RFC 2473, section 5.1): 4 for a packet without a
/// limit, otherwise the packet's limit minus one. nullopt if that limit is 0, so that the packet
/// must not enter the tunnel.
std::optional<std::uint8_t> limit_behind(const Bytes& inner);

/// Bytes in front of the inner packet.
std::size_t tunnel_header_bytes(Encapsulation encapsulation, bool over_ipv6);

/// The number of zeros that WireGuard appends to a packet: up to the next multiple of 16, but not
/// beyond `mtu`.
std::size_t wireguard_padding(std::size_t length, std::size_t mtu);

/// True if a UDP header follows the outer IP header.
bool is_over_udp(Encapsulation encapsulation);

/// The inner TOS byte or traffic class after decapsulation. nullopt if the packet must be dropped.
std::optional<std::uint8_t> tos_after_unwrapping(std::uint8_t inner, std::uint8_t outer);

/// The UDP datagram of a packet, from its UDP header on, or the reason why a socket does not get
/// it.
Result<Bytes, Drop> udp_datagram(const Bytes& packet);

/// The content of a tunnel packet.
struct Opened {
  Bytes inner;
  // The addresses of the inner frame are set for VXLAN and Geneve.
  MacAddress source_mac;
  MacAddress destination_mac;
};

/// Decapsulates a packet as the Linux device of the encapsulation does. `payload` begins behind the
/// outer IP header, whose protocol is `protocol`. Checks that `inner` has the fixed header of the
/// announced family, but not the lengths and the checksum in it.
Result<Opened, Drop> open_tunnel(Encapsulation encapsulation, std::uint8_t protocol,
                                 const Bytes& payload, bool takes_critical_options);

}  // namespace overlane::reference
