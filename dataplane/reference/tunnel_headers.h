#pragma once

#include <optional>

#include "dataplane/encap/encapsulation.h"
#include "dataplane/net/drop.h"
#include "dataplane/reference/packet_bytes.h"
#include "results/finding/finding.h"

namespace overlane::reference {

// Outer headers of every encapsulation, encoded and decoded naively, byte for byte. dataplane/encap
// does the same fast; the two share no code.

/// The parameters of the naive encoders, in addition to the inner packet.
struct TunnelEnds {
  IpAddress source;
  IpAddress destination;
  // VXLAN, Geneve and WireGuard.
  std::uint32_t vni = 0;  ///< WireGuard: the receiver's index.
  std::uint16_t port = 0;
  std::size_t padding = 0;  ///< WireGuard.
  MacAddress source_mac;
  MacAddress destination_mac;
};

/// The naive encoders: outer headers written byte for byte, with identification 0, as the Linux
/// device of the encapsulation writes them.
Bytes wrap(Encapsulation encapsulation, const Bytes& inner, const TunnelEnds& ends);

/// How many tunnels a packet may still enter behind this one, which RFC 2473 5.1 makes 4 unless the
/// packet is itself one with a limit; nothing when it must not enter this one either.
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

/// The UDP datagram of a packet, from its UDP header on; or why a socket does not get it.
Result<Bytes, Drop> udp_datagram(const Bytes& packet);

/// The content of a tunnel packet.
struct Opened {
  Bytes inner;
  // VXLAN and Geneve.
  MacAddress source_mac;
  MacAddress destination_mac;
};

/// The naive decoders: headers read byte for byte, as the Linux device of the encapsulation does.
/// `payload` begins behind the outer IP header, whose protocol is given. Inside is the beginning of
/// a packet of the announced family at least; its own lengths and checksum are not checked.
Result<Opened, Drop> open_tunnel(Encapsulation encapsulation, std::uint8_t protocol,
                                 const Bytes& payload, bool takes_critical_options);

}  // namespace overlane::reference
